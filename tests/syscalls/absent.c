// stride: -e trace=openat2 -a1
// A path in a page that the program never touched. The kernel refuses the call before it looks at the path, because of the size.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static char log_text[1 << 12];

/* Waits until Stride has shown the call: it reads the path from this process. */
static void wait_until_shown(void)
{
	for (int left = 2000; left > 0; left--) {
		int fd = open("log", O_RDONLY);
		ssize_t n = fd < 0 ? 0 : read(fd, log_text, sizeof(log_text) - 1);

		close(fd);
		log_text[n > 0 ? n : 0] = 0;
		if (fd < 0 || strstr(log_text, "openat2"))
			return;
		usleep(1000);
	}
}

int main(void)
{
	// A file in memory, whose pages are in the page cache but not in this process.
	int fd = memfd_create("pages", 0);
	char *page;

	if (pwrite(fd, "untouched", 10, 0) != 10)
		return 1;
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return 1;
	chdir("MARKER");

	long r = syscall(SYS_openat2, AT_FDCWD, page, NULL, 0);
	printf("openat2(AT_FDCWD, \"untouched\", NULL, 0) = %s\n", result(r));
	wait_until_shown();
	fflush(stdout);
	_exit(0);
}
