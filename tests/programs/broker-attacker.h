/* How broker-attacker speaks with a broker, what it saw through the broker, and the processes that it starts. */
#ifndef BROKER_ATTACKER_H
#define BROKER_ATTACKER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DONE, REFUSED, OTHER_VERSION, BUSY, NOBODY, ENDED, CLOSED = 100 };
enum { SEED = 1, LOOK = 2, COUNTS = 3, DETACH = 4 };
enum { WHOLE = 1, COMMAND = 2 };
enum { REC_ENTRY = 1, REC_CALL = 2, REC_DETACH = 7, REC_BLOCKED = 8, REC_WAIT = 21 };
enum { WAKER_HIDDEN = 7 };

static const char *socket_path, *directory;
static char request[1 << 16];
static size_t request_len;

static void give_up(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	printf(" (errno %d: %s)\n", errno, strerror(errno));
	exit(status);
}

#define NEED(what) do { if (!(what)) give_up(2, "%s", #what); } while (0)

/* ---- the socket ---- */

struct trace {
	int socket;
	int n;
	int fds[16];
	uint64_t code, value;
	char text[1024];
};

static int dial(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	NEED(fd >= 0);
	strncpy(to.sun_path, socket_path, sizeof(to.sun_path) - 1);
	NEED(!connect(fd, (void *)&to, sizeof(to)));
	return fd;
}

static int tell(int socket, const void *bytes, size_t len, const int *fds, int n)
{
	char space[CMSG_SPACE(253 * sizeof(int))] = {};
	struct iovec iov = { (void *)bytes, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		struct cmsghdr *c;

		msg.msg_control = space;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	return sendmsg(socket, &msg, MSG_NOSIGNAL);
}

/* The code of the next answer. */
static int hear(struct trace *t)
{
	char space[CMSG_SPACE(16 * sizeof(int))], bytes[2048];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	ssize_t len = recvmsg(t->socket, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	t->n = 0;
	if (len < 16)
		return t->code = CLOSED;
	memcpy(&t->code, bytes, 8);
	memset(t->text, 0, sizeof(t->text));
	memcpy(t->text, bytes + 16, len - 16 < 1023 ? len - 16 : 1023);
	memcpy(&t->value, bytes + 8, 8);
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		t->n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(t->fds, CMSG_DATA(c), t->n * sizeof(int));
	}
	return t->code;
}

/* A trace of nobody yet. */
static struct trace begin(void)
{
	struct trace t = { .socket = dial() };

	NEED(tell(t.socket, request, request_len, NULL, 0) == (ssize_t)request_len);
	if (hear(&t) != DONE || t.n < 3)
		give_up(2, "the broker does not begin a trace: code %d, %s", (int)t.code, t.text);
	return t;
}

static int order(struct trace *t, uint64_t kind, uint64_t a, uint64_t b, int fd)
{
	struct trace answer = { .socket = t->socket };
	uint64_t words[3] = { kind, a, b };

	if (tell(t->socket, words, sizeof(words), &fd, fd >= 0) < 0)
		return CLOSED;
	return hear(&answer);
}

/* ---- what was seen ---- */

static uint32_t ring_size(struct trace *t)
{
	struct bpf_map_info info = {};
	union bpf_attr attr = { .info = { .bpf_fd = t->fds[2], .info_len = sizeof(info), .info = (uintptr_t)&info } };

	NEED(!syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)));
	return info.max_entries;
}

/* Shows all records. */
static void each_record(struct trace *t, void (*see)(unsigned char *rec, uint32_t len, void *to), void *to)
{
	uint32_t size = ring_size(t);
	char *map = mmap(NULL, 4096 + 2 * (size_t)size, PROT_READ, MAP_SHARED, t->fds[2], 4096);
	uint64_t at = 0, end;

	NEED(map != MAP_FAILED);
	end = __atomic_load_n((uint64_t *)map, __ATOMIC_ACQUIRE);
	while (at < end) {
		uint32_t head = __atomic_load_n((uint32_t *)(map + 4096 + at % size), __ATOMIC_ACQUIRE);
		uint32_t len = head & 0x3fffffff;

		if (head >> 31)
			break;
		if (!(head >> 30))
			see((unsigned char *)map + 4096 + at % size + 8, len, to);
		at += (len + 8 + 7) & ~7ULL;
	}
	munmap(map, 4096 + 2 * (size_t)size);
}

struct counted {
	int kind, nr, n;
};

static void count(unsigned char *rec, uint32_t len, void *to)
{
	struct counted *all = to;

	all->n += rec[0] == all->kind && (all->nr < 0 || *(int32_t *)(rec + 12) == all->nr);
}

/* Records of this kind. For a kind of calls: those of getpgid only. */
static int records(struct trace *t, int kind, int nr)
{
	struct counted all = { kind, nr, 0 };

	each_record(t, count, &all);
	return all.n;
}

static int secrets(struct trace *t)
{
	return records(t, REC_CALL, SYS_getpgid) + records(t, REC_ENTRY, SYS_getpgid) + records(t, REC_BLOCKED, SYS_getpgid);
}

/* Waits until somebody has made secret calls, and tells whether they were seen. */
static void watch(struct trace *t, int told)
{
	char x[20];
	size_t got = 0;

	while (got < sizeof(x)) {
		ssize_t n = read(told, x, sizeof(x) - got);

		if (n <= 0)
			break;
		got += n;
	}
	if (!got)
		give_up(2, "the victim made no secret call");
	if (secrets(t))
		give_up(1, "%d secret calls were seen", secrets(t));
}

static int memory(int pid, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, flags | O_CLOEXEC);
}

/* ---- processes of ours ---- */

struct child {
	int pid;
	/* A byte lets it go. */
	int go;
	/* It tells of its secret calls here. */
	int told;
};

/* Waits for a byte, then executes this copy of the victim. With `thread`, another thread than the first does. */
static void *run(void *program)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, (char *)program);
	execl(path, path, NULL);
	_exit(9);
}

static struct child start(const char *program, int thread)
{
	int go[2], told[2];
	struct child c;

	NEED(!pipe2(go, O_CLOEXEC) && !pipe2(told, O_CLOEXEC));
	c.pid = fork();
	NEED(c.pid >= 0);
	if (!c.pid) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(120);
		dup2(told[1], 1);
		if (read(go[0], &byte, 1) != 1)
			_exit(8);
		if (thread) {
			pthread_t other;

			pthread_create(&other, NULL, run, (void *)program);
			for (;;)
				pause();
		}
		run((void *)program);
	}
	close(go[0]);
	close(told[1]);
	c.go = go[1];
	c.told = told[0];
	return c;
}

static void stop(struct child *c)
{
	/* The child may have become a program that this process may not kill. Such a program ends when the pipe to this process is closed. */
	close(c->told);
	close(c->go);
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

#endif
