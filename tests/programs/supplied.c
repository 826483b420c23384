// One thread writes from pages that another thread supplies: by userfaultfd(2), or with the argument `fuse` as the server
// of the file that is mapped. The supplier first makes calls of its own, and reads a byte of input for each page. The
// program begins after it has read a byte, too. Exit status 77: this cannot be had here.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGES = 4, CALLS = 20000 };

static int supplier_fd, out;
static long size;
static char *page, *missing;

/* Makes more calls than fit into a small ring, and reads a byte, before a page is supplied. */
static void dawdle(void)
{
	char c;
	for (int n = 0; n < CALLS; n++)
		syscall(SYS_getppid);
	read(0, &c, 1);
}

static void *supply_faults(void *unused)
{
	for (int i = 0; i < PAGES; i++) {
		struct uffd_msg msg;
		struct pollfd wait = { supplier_fd, POLLIN };
		poll(&wait, 1, -1);
		if (read(supplier_fd, &msg, sizeof msg) != sizeof msg || msg.event != UFFD_EVENT_PAGEFAULT)
			_exit(3);
		dawdle();
		struct uffdio_copy copy = { .dst = msg.arg.pagefault.address & -size, .src = (unsigned long)page, .len = size };
		if (ioctl(supplier_fd, UFFDIO_COPY, &copy))
			_exit(4);
	}
	return NULL;
}

static int map_faults(void)
{
	supplier_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	missing = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (unsigned long)missing, PAGES * size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	return supplier_fd >= 0 && !ioctl(supplier_fd, UFFDIO_API, &api) && !ioctl(supplier_fd, UFFDIO_REGISTER, &range);
}

/* Replies go out by writev(2), because the test counts calls of write(2). */
static void reply(struct fuse_in_header *to, const void *data, size_t len)
{
	struct fuse_out_header head = { .len = sizeof head + len, .unique = to->unique };
	struct iovec parts[] = { { &head, sizeof head }, { (void *)data, len } };
	if (writev(supplier_fd, parts, 2) < 0)
		_exit(4);
}

static void serve(struct fuse_in_header *request, unsigned *pages)
{
	struct fuse_attr attr = { .ino = 1, .size = PAGES * size, .mode = S_IFREG | 0600, .nlink = 1, .blksize = size };
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096 };
	struct fuse_attr_out attributes = { .attr_valid = 60, .attr = attr };
	/* Without FOPEN_NOFLUSH, a program that is killed would wait for itself. */
	struct fuse_open_out opened = { .open_flags = FOPEN_NOFLUSH };
	switch (request->opcode) {
	case FUSE_INIT:
		return reply(request, &init, sizeof init);
	case FUSE_GETATTR:
		return reply(request, &attributes, sizeof attributes);
	case FUSE_OPEN:
		return reply(request, &opened, sizeof opened);
	case FUSE_READ:
		dawdle();
		++*pages;
		return reply(request, page, size);
	default:
		_exit(3);
	}
}

static void *supply_file(void *unused)
{
	static char request[64 << 10];
	for (unsigned pages = 0; pages < PAGES;) {
		if (read(supplier_fd, request, sizeof request) < 0)
			_exit(3);
		serve((struct fuse_in_header *)request, &pages);
	}
	return NULL;
}

/* Mounts a file (in a mount namespace of its own, which ends with the program) whose server is this program. */
static int mount_file(const char *at)
{
	char options[100];
	supplier_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof options, "fd=%d,rootmode=100000,user_id=0,group_id=0", supplier_fd);
	return supplier_fd >= 0 && !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("supplied", at, "fuse", 0, options);
}

static void map_file(const char *path)
{
	struct stat known;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	/* The kernel asks for the size. */
	fstat(fd, &known);
	missing = mmap(NULL, PAGES * size, PROT_READ, MAP_SHARED, fd, 0);
	/* Each page comes by a request of its own. */
	if (missing == MAP_FAILED || madvise(missing, PAGES * size, MADV_RANDOM))
		_exit(7);
}

static void *consume(void *path)
{
	if (path)
		map_file(path);
	for (int i = 0; i < PAGES; i++)
		if (write(out, missing + i * size, 9) != 9)
			_exit(5);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t supplier, consumer;
	char c, path[] = "/tmp/stride-supplied-XXXXXX";
	int fuse = argc > 1 && !strcmp(argv[1], "fuse");
	size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, "supplied\n", 9);
	if (fuse) {
		close(mkstemp(path));
		int done = mount_file(path);
		if (!done) {
			unlink(path);
			return 77;
		}
	} else if (!map_faults())
		return 77;
	read(0, &c, 1);
	/* The output is a pipe, because /dev/null does not read the bytes written. */
	int ends[2];
	pipe(ends);
	out = ends[1];
	pthread_create(&supplier, NULL, fuse ? supply_file : supply_faults, NULL);
	pthread_create(&consumer, NULL, consume, fuse ? path : NULL);
	pthread_join(supplier, NULL);
	pthread_join(consumer, NULL);
	if (fuse) {
		umount2(path, MNT_DETACH);
		unlink(path);
	}
	char text[64];
	ssize_t n = read(ends[0], text, sizeof text);
	return n == 9 * PAGES && !memcmp(text, "supplied\nsupplied\n", 18) ? 0 : 6;
}
