/* Passes paths in pages that it never touched, and unmaps each page right after the call, which fails before it looks at the path. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int main(void)
{
	/* The page is in memory, but not in this process. */
	int fd = memfd_create("page", 0);

	if (pwrite(fd, "untouched", 10, 0) != 10)
		return 1;
	for (int i = 0; i < 100; i++) {
		char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

		syscall(SYS_openat2, AT_FDCWD, page, NULL, 0);
		munmap(page, 4096);
		/* The reader may have fallen behind. */
		usleep(1000);
	}
	return 0;
}
