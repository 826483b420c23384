// One thread writes from pages that another thread supplies (userfaultfd). The supplier first makes calls of its own,
// and reads a byte of input for each page. The program begins after it has read a byte, too. Exit status 77: no
// userfaultfd here.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 4, CALLS = 20000 };

static int uffd, out;
static long size;
static char *missing;

static void *supply(void *unused)
{
	char c, *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, "supplied\n", 9);
	for (int i = 0; i < PAGES; i++) {
		struct uffd_msg msg;
		struct pollfd wait = { uffd, POLLIN };
		poll(&wait, 1, -1);
		if (read(uffd, &msg, sizeof msg) != sizeof msg || msg.event != UFFD_EVENT_PAGEFAULT)
			_exit(3);
		/* More calls than fit into a small ring. */
		for (int n = 0; n < CALLS; n++)
			syscall(SYS_getppid);
		read(0, &c, 1);
		struct uffdio_copy copy = { .dst = msg.arg.pagefault.address & -size, .src = (unsigned long)page, .len = size };
		if (ioctl(uffd, UFFDIO_COPY, &copy))
			_exit(4);
	}
	return NULL;
}

static void *consume(void *unused)
{
	for (int i = 0; i < PAGES; i++)
		if (write(out, missing + i * size, 9) != 9)
			_exit(5);
	return NULL;
}

int main(void)
{
	pthread_t supplier, consumer;
	char c;
	size = sysconf(_SC_PAGESIZE);
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0)
		return 77;
	read(0, &c, 1);
	/* The output is a pipe, because /dev/null does not read the bytes written. */
	int ends[2];
	pipe(ends);
	out = ends[1];
	missing = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (unsigned long)missing, PAGES * size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range))
		return 77;
	pthread_create(&supplier, NULL, supply, NULL);
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_join(supplier, NULL);
	pthread_join(consumer, NULL);
	char text[64];
	ssize_t n = read(ends[0], text, sizeof text);
	return n == 9 * PAGES && !memcmp(text, "supplied\nsupplied\n", 18) ? 0 : 6;
}
