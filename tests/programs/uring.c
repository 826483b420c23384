/*
 * Operations of io_uring, made with bare system calls. The first argument is a scene. A scene prints the lines that Stride must show, except
 * those in which ids or addresses of the kernel decide. Exits with 77 and a reason if the kernel refuses io_uring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <linux/time_types.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENTRIES 8

struct ring {
	int fd;
	unsigned flags;
	unsigned *head, *tail, *mask, *array, *state;
	unsigned *done_head, *done_tail, *done_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static struct ring ring;

static void setup(unsigned flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 50 };
	char *sq, *cq;

	ring.fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring.fd < 0) {
		fprintf(stderr, "io_uring_setup: %s\n", strerror(errno));
		exit(77);
	}
	ring.flags = flags;
	sq = mmap(0, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		  IORING_OFF_CQ_RING);
	ring.sqes = mmap(0, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring.sqes == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	ring.head = (void *)(sq + p.sq_off.head);
	ring.tail = (void *)(sq + p.sq_off.tail);
	ring.mask = (void *)(sq + p.sq_off.ring_mask);
	ring.array = (void *)(sq + p.sq_off.array);
	ring.state = (void *)(sq + p.sq_off.flags);
	ring.done_head = (void *)(cq + p.cq_off.head);
	ring.done_tail = (void *)(cq + p.cq_off.tail);
	ring.done_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
}

/* Puts an entry into the queue. Entries are not in the order of the queue's array, so a reader has to follow the array. */
static void queue(struct io_uring_sqe sqe)
{
	unsigned tail = *ring.tail, at = *ring.mask - (tail & *ring.mask);

	ring.sqes[at] = sqe;
	ring.array[tail & *ring.mask] = at;
	atomic_store_explicit((_Atomic unsigned *)ring.tail, tail + 1, memory_order_release);
}

static void enter(unsigned submit, unsigned wait)
{
	if (ring.flags & IORING_SETUP_SQPOLL) {
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load((_Atomic unsigned *)ring.state) & IORING_SQ_NEED_WAKEUP)
			syscall(SYS_io_uring_enter, ring.fd, submit, 0, IORING_ENTER_SQ_WAKEUP, 0, 0);
		submit = 0;
	}
	while (syscall(SYS_io_uring_enter, ring.fd, submit, wait, IORING_ENTER_GETEVENTS, 0, 0) < 0 && errno == EINTR)
		submit = 0;
}

static int completions(void)
{
	return atomic_load_explicit((_Atomic unsigned *)ring.done_tail, memory_order_acquire) - *ring.done_head;
}

static struct io_uring_cqe completion(void)
{
	struct io_uring_cqe cqe;

	while (!completions())
		enter(0, 1);
	cqe = ring.cqes[*ring.done_head & *ring.done_mask];
	atomic_store_explicit((_Atomic unsigned *)ring.done_head, *ring.done_head + 1, memory_order_release);
	return cqe;
}

/* Has one operation carried out, and returns its result. */
static int run(struct io_uring_sqe sqe)
{
	queue(sqe);
	enter(1, 1);
	return completion().res;
}

static const char *by(void)
{
	return ring.flags & IORING_SETUP_SQPOLL ? "submitted by SQPOLL" : "submitted by io_uring_enter";
}

#define OP(op, ...) (struct io_uring_sqe) { .opcode = IORING_OP_##op, __VA_ARGS__ }
#define PTR(p) (unsigned long)(p)

static char data[] = "hello", into[64];

static void files(void)
{
	struct statx st;
	int fd, n;

	n = run(OP(NOP, .user_data = 1));
	printf("io_uring:nop() = %d (%s)\n", n, by());
	fd = run(OP(OPENAT, .fd = AT_FDCWD, .addr = PTR("made"), .open_flags = O_RDWR | O_CREAT, .len = 0640));
	printf("io_uring:openat(AT_FDCWD, \"made\", O_RDWR|O_CREAT, 0640) = %d (%s)\n", fd, by());
	n = run(OP(WRITE, .fd = fd, .addr = PTR(data), .len = 5));
	printf("io_uring:write(%d, \"hello\", 5, 0) = %d (%s)\n", fd, n, by());
	n = run(OP(READ, .fd = fd, .addr = PTR(into), .len = sizeof(into), .off = 1));
	printf("io_uring:read(%d, %p, 64, 1) = %d (%s)\n", fd, into, n, by());
	n = run(OP(STATX, .fd = AT_FDCWD, .addr = PTR("made"), .len = STATX_SIZE, .off = PTR(&st)));
	printf("io_uring:statx(AT_FDCWD, \"made\", AT_STATX_SYNC_AS_STAT, STATX_SIZE, %p) = %d (%s)\n", &st, n, by());
	n = run(OP(FSYNC, .fd = fd, .fsync_flags = IORING_FSYNC_DATASYNC));
	printf("io_uring:fsync(%d, IORING_FSYNC_DATASYNC, 0, 0) = %d (%s)\n", fd, n, by());
	n = run(OP(RENAMEAT, .fd = AT_FDCWD, .addr = PTR("made"), .len = AT_FDCWD, .addr2 = PTR("moved")));
	printf("io_uring:renameat(AT_FDCWD, \"made\", AT_FDCWD, \"moved\", 0) = %d (%s)\n", n, by());
	n = run(OP(CLOSE, .fd = fd));
	printf("io_uring:close(%d) = %d (%s)\n", fd, n, by());
	n = run(OP(UNLINKAT, .fd = AT_FDCWD, .addr = PTR("moved")));
	printf("io_uring:unlinkat(AT_FDCWD, \"moved\", 0) = %d (%s)\n", n, by());
}

static void failures(void)
{
	run(OP(OPENAT, .fd = AT_FDCWD, .addr = PTR("missing"), .open_flags = O_RDONLY));
	printf("io_uring:openat(AT_FDCWD, \"missing\", O_RDONLY, 000) = -ENOENT (No such file or directory) (%s)\n", by());
	run(OP(READ, .fd = 999, .addr = PTR(into), .len = 3, .off = -1));
	printf("io_uring:read(999, %p, 3, -1) = -EBADF (Bad file descriptor) (%s)\n", into, by());
	/* Refused before it begins. */
	run(OP(FSYNC, .fd = 0, .fsync_flags = 0x80));
	printf("io_uring:fsync(0, 0x80 /* IORING_FSYNC_??? */, 0, 0) = -EINVAL (Invalid argument) (%s)\n", by());
	/* An address that is not there. */
	run(OP(OPENAT, .fd = AT_FDCWD, .addr = 8, .open_flags = O_RDONLY));
	printf("io_uring:openat(AT_FDCWD, 0x8, O_RDONLY, 000) = -EFAULT (Bad address) (%s)\n", by());
}

/* Links, a time limit, a worker, and an operation that posts no completion. */
static void ways(void)
{
	struct __kernel_timespec ts = { .tv_nsec = 1000000 };
	int fd = open("/dev/zero", O_RDONLY), n;

	queue(OP(NOP, .flags = IOSQE_IO_LINK, .user_data = 1));
	queue(OP(READ, .fd = fd, .addr = PTR(into), .len = 7, .user_data = 2));
	enter(2, 2);
	completion(), completion();
	printf("io_uring:nop() = 0 (IOSQE_IO_LINK, %s)\n", by());
	printf("io_uring:read(%d, %p, 7, 0) = 7 (%s)\n", fd, into, by());
	queue(OP(READ, .fd = 999, .addr = PTR(into), .len = 1, .flags = IOSQE_IO_LINK));
	queue(OP(NOP, .user_data = 2));
	enter(2, 2);
	completion(), completion();
	printf("io_uring:read(999, %p, 1, 0) = -EBADF (Bad file descriptor) (IOSQE_IO_LINK, %s)\n", into, by());
	printf("io_uring:nop() = -ECANCELED (Operation canceled) (%s)\n", by());
	n = run(OP(TIMEOUT, .addr = PTR(&ts), .len = 1, .off = 0));
	printf("io_uring:timeout(%p, 0, 0) = -ETIME (Timer expired) (%s)\n", &ts, by());
	n = run(OP(READ, .fd = fd, .addr = PTR(into), .len = 9, .flags = IOSQE_ASYNC));
	printf("io_uring:read(%d, %p, 9, 0) = %d (IOSQE_ASYNC, %s)\n", fd, into, n, by());
	close(fd);
}

/* One completion after another, and operations without a completion. */
static void several(void)
{
	int ends[2], i;
	unsigned flags;

	if (pipe(ends))
		exit(1);
	queue(OP(POLL_ADD, .fd = ends[0], .poll32_events = POLLIN, .len = IORING_POLL_ADD_MULTI, .user_data = 7));
	enter(1, 0);
	for (i = 0; i < 2; i++) {
		write(ends[1], "x", 1);
		flags = completion().flags;
		if (!(flags & IORING_CQE_F_MORE))
			break;
		printf("io_uring:poll_add(%d, POLLIN, IORING_POLL_ADD_MULTI) = 1 (IORING_CQE_F_MORE, %s)\n", ends[0], by());
		read(ends[0], into, 1);
	}
	queue(OP(POLL_REMOVE, .addr = 7, .user_data = 8));
	enter(1, 2);
	completion(), completion();
	printf("io_uring:poll_remove(0x7, 0, 0, 0) = 0 (%s)\n", by());
	printf("io_uring:poll_add(%d, POLLIN, IORING_POLL_ADD_MULTI) = -ECANCELED (Operation canceled) (%s)\n", ends[0], by());
	queue(OP(NOP, .flags = IOSQE_CQE_SKIP_SUCCESS));
	enter(1, 0);
	queue(OP(POLL_ADD, .fd = ends[0], .poll32_events = POLLIN, .user_data = 9));
	enter(1, 0);
	printf("io_uring:nop() = ? (IOSQE_CQE_SKIP_SUCCESS, no completion if it succeeds, %s)\n", by());
	printf("io_uring:poll_add(%d, POLLIN, 0) = ? (no completion seen, %s)\n", ends[0], by());
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

static void result(int n)
{
	if (n < 0)
		printf(" = -%s (%s) (%s)\n", strerrorname_np(-n), strerror(-n), by());
	else
		printf(" = %d (%s)\n", n, by());
}

/* Has an operation carried out, and prints its line. */
#define SHOWN(format, sqe, ...) \
	({ \
		int n_ = run(sqe); \
		printf("io_uring:" format, ##__VA_ARGS__); \
		result(n_); \
		n_; \
	})

/* Paths, files and memory. */
static void more_files(void)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0600 };
	struct iovec iov = { data, 5 };
	int fd, ends[2];
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pipe(ends))
		exit(1);
	SHOWN("mkdirat(AT_FDCWD, \"dir\", 0755)", OP(MKDIRAT, .fd = AT_FDCWD, .addr = PTR("dir"), .len = 0755));
	fd = SHOWN("openat2(AT_FDCWD, \"dir/a\", %p, 24)",
		   OP(OPENAT2, .fd = AT_FDCWD, .addr = PTR("dir/a"), .off = PTR(&how), .len = sizeof(how)), &how);
	SHOWN("fallocate(%d, FALLOC_FL_KEEP_SIZE, 0, 4096)",
	      OP(FALLOCATE, .fd = fd, .len = 1 /* FALLOC_FL_KEEP_SIZE */, .off = 0, .addr = 4096), fd);
	SHOWN("writev(%d, %p, 1, 2, RWF_DSYNC)", OP(WRITEV, .fd = fd, .addr = PTR(&iov), .len = 1, .off = 2, .rw_flags = 2), fd, &iov);
	iov.iov_base = into;
	SHOWN("readv(%d, %p, 1, 0)", OP(READV, .fd = fd, .addr = PTR(&iov), .len = 1), fd, &iov);
	SHOWN("fadvise(%d, 0, 4096, POSIX_FADV_SEQUENTIAL)",
	      OP(FADVISE, .fd = fd, .len = 4096, .fadvise_advice = POSIX_FADV_SEQUENTIAL), fd);
	SHOWN("sync_file_range(%d, 0, 5, SYNC_FILE_RANGE_WRITE)",
	      OP(SYNC_FILE_RANGE, .fd = fd, .len = 5, .sync_range_flags = 2 /* SYNC_FILE_RANGE_WRITE */), fd);
	SHOWN("splice(%d, 0, %d, -1, 3, SPLICE_F_MOVE)",
	      OP(SPLICE, .splice_fd_in = fd, .splice_off_in = 0, .fd = ends[1], .off = -1, .len = 3, .splice_flags = 1), fd, ends[1]);
	SHOWN("linkat(AT_FDCWD, \"dir/a\", AT_FDCWD, \"dir/b\", 0)",
	      OP(LINKAT, .fd = AT_FDCWD, .addr = PTR("dir/a"), .len = AT_FDCWD, .addr2 = PTR("dir/b")));
	SHOWN("symlinkat(\"a\", AT_FDCWD, \"dir/c\")", OP(SYMLINKAT, .fd = AT_FDCWD, .addr = PTR("a"), .addr2 = PTR("dir/c")));
	SHOWN("madvise(%p, 4096, MADV_DONTNEED)", OP(MADVISE, .addr = PTR(page), .len = 4096, .fadvise_advice = MADV_DONTNEED), page);
	unlink("dir/c"), unlink("dir/b"), unlink("dir/a");
	SHOWN("unlinkat(AT_FDCWD, \"dir\", AT_REMOVEDIR)", OP(UNLINKAT, .fd = AT_FDCWD, .addr = PTR("dir"), .unlink_flags = AT_REMOVEDIR));
}

/* Sockets, and operations on operations. */
static void sockets(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct __kernel_timespec ts = { .tv_sec = 100 };
	int pair[2], epoll = epoll_create1(0);

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	SHOWN("send(%d, \"hello\", 5, MSG_NOSIGNAL)",
	      OP(SEND, .fd = pair[0], .addr = PTR(data), .len = 5, .msg_flags = MSG_NOSIGNAL), pair[0]);
	SHOWN("recv(%d, %p, 64, MSG_DONTWAIT, IORING_RECVSEND_POLL_FIRST)",
	      OP(RECV, .fd = pair[1], .addr = PTR(into), .len = 64, .msg_flags = MSG_DONTWAIT, .ioprio = 1), pair[1], into);
	SHOWN("epoll_ctl(%d, EPOLL_CTL_ADD, %d, %p)", OP(EPOLL_CTL, .fd = epoll, .len = EPOLL_CTL_ADD, .off = pair[0], .addr = PTR(&event)),
	      epoll, pair[0], &event);
	SHOWN("shutdown(%d, SHUT_WR)", OP(SHUTDOWN, .fd = pair[0], .len = SHUT_WR), pair[0]);
	SHOWN("poll_add(%d, POLLIN|POLLRDHUP, 0)", OP(POLL_ADD, .fd = pair[1], .poll32_events = POLLIN | 0x2000), pair[1]);
	queue(OP(TIMEOUT, .addr = PTR(&ts), .len = 1, .off = 0, .timeout_flags = IORING_TIMEOUT_BOOTTIME, .user_data = 5));
	queue(OP(TIMEOUT_REMOVE, .addr = 5, .user_data = 6));
	enter(2, 2);
	completion(), completion();
	printf("io_uring:timeout(%p, 0, IORING_TIMEOUT_BOOTTIME) = -ECANCELED (Operation canceled) (%s)\n", &ts, by());
	printf("io_uring:timeout_remove(0x5, NULL, 0) = 0 (%s)\n", by());
	SHOWN("async_cancel(-1, 0x77, 0)", OP(ASYNC_CANCEL, .fd = -1, .addr = 0x77));
	SHOWN("accept(%d, NULL, NULL, SOCK_CLOEXEC)", OP(ACCEPT, .fd = pair[1], .accept_flags = SOCK_CLOEXEC), pair[1]);
}

/* More completions than the queue has room for. */
static void overflow(void)
{
	int i;

	for (i = 0; i < 5 * ENTRIES; i++) {
		queue(OP(NOP, .user_data = i));
		syscall(SYS_io_uring_enter, ring.fd, 1, 0, 0, 0, 0);
		printf("io_uring:nop() = 0 (%s)\n", by());
	}
	for (i = 0; i < 5 * ENTRIES; i++)
		completion();
}

static void *submits(void *unused)
{
	run(OP(NOP, .user_data = 2));
	return NULL;
}

/* The ring is used by a second thread, and by a child. */
static void threads(void)
{
	pthread_t thread;

	run(OP(NOP, .user_data = 1));
	pthread_create(&thread, NULL, submits, NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		run(OP(OPENAT, .fd = AT_FDCWD, .addr = PTR("/"), .open_flags = O_RDONLY | O_DIRECTORY));
		_exit(0);
	}
	wait(NULL);
}

static void many(const char *n)
{
	for (int left = atoi(n); left > 0; left--)
		run(OP(NOP, .user_data = left));
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	setup(strcmp(scene, "polled") ? 0 : IORING_SETUP_SQPOLL);
	if (!strcmp(scene, "files") || !strcmp(scene, "polled"))
		files();
	else if (!strcmp(scene, "failures"))
		failures();
	else if (!strcmp(scene, "ways"))
		ways();
	else if (!strcmp(scene, "more-files"))
		more_files();
	else if (!strcmp(scene, "sockets"))
		sockets();
	else if (!strcmp(scene, "several"))
		several();
	else if (!strcmp(scene, "overflow"))
		overflow();
	else if (!strcmp(scene, "threads"))
		threads();
	else if (!strcmp(scene, "many") && argc > 2)
		many(argv[2]);
	else
		return 2;
	return 0;
}
