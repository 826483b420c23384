// stride: -e trace=ioctl -a1
// The features that userfaultfd(2) has are shown if they are others than the program asks for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const NAMES[] = {
	"PAGEFAULT_FLAG_WP", "EVENT_FORK", "EVENT_REMAP", "EVENT_REMOVE", "MISSING_HUGETLBFS", "MISSING_SHMEM", "EVENT_UNMAP", "SIGBUS", "THREAD_ID",
	"MINOR_HUGETLBFS", "MINOR_SHMEM", "EXACT_ADDRESS", "WP_HUGETLBFS_SHMEM", "WP_UNPOPULATED", "POISON", "WP_ASYNC", "MOVE"
};
#define COUNT (sizeof NAMES / sizeof *NAMES)

static const char *names(unsigned long long features)
{
	static char text[1024];
	*text = 0;
	for (unsigned bit = 0; bit < COUNT; bit++)
		if (features >> bit & 1)
			sprintf(text + strlen(text), "%sUFFD_FEATURE_%s", *text ? "|" : "", NAMES[bit]);
	return text;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), other = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (fd < 0 || other < 0) {
		fprintf(stderr, "userfaultfd: %s\n", strerror(errno));
		return 77;
	}
	chdir("MARKER");
	if (ioctl(fd, UFFDIO_API, &api) != 0)
		return 1;
	if (api.features >> COUNT || api.ioctls != (1ULL << _UFFDIO_REGISTER | 1ULL << _UFFDIO_UNREGISTER | 1ULL << _UFFDIO_API)) {
		fprintf(stderr, "this kernel has features without a name\n");
		return 77;
	}
#define API "1<<_UFFDIO_REGISTER|1<<_UFFDIO_UNREGISTER|1<<_UFFDIO_API"
	printf("ioctl(%d, UFFDIO_API, {api=0xaa, features=0 => features=%s, ioctls=" API "}) = 0\n", fd, names(api.features));
	// The events of forks are for those who may trace others.
	api.ioctls = 0;
	if (ioctl(other, UFFDIO_API, &api) != 0)
		return 1;
	printf("ioctl(%d, UFFDIO_API, {api=0xaa, features=%s, ioctls=" API "}) = 0\n", other, names(api.features));
	return 0;
}
