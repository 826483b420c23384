/*
 * Threads and processes that wait for each other in known ways, one way for each argument. Each waiter prints a line about each of its waits:
 *
 *   WAY TID WAKER LEAST MOST
 *
 * with the ids of the waiting thread and of its waker (0: an interrupt) and the bounds of the time asleep, in nanoseconds. The clock was read before and after the
 * waiter began to wait and before and after the waker ended the wait, so the bounds hold however busy the machine is, but for the time until the
 * waiter is off its CPU: LEAST counts from the last thing that the waiter does before its call.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 10
#define PAUSE 20000000L

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void rest(long ns)
{
	struct timespec time = { ns / 1000000000L, ns % 1000000000L };

	nanosleep(&time, NULL);
}

static int tid(void)
{
	return syscall(SYS_gettid);
}

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

/* The memory in which waiter and waker tell each other times and ids. */
struct shared {
	_Atomic long begins, before, after;
	_Atomic int waker;
	_Atomic int word;
};

static struct shared *shared;

static void print(const char *way, int waiter, int waker, long begins)
{
	printf("%s %d %d %ld %ld\n", way, waiter, waker, shared->before - begins, shared->after - begins);
	fflush(stdout);
	shared->before = shared->after = 0;
}

static void report(const char *way, int waker)
{
	/* The waker writes the second time when its call has returned, which may be after the waiter runs on. */
	while (!shared->after)
		rest(100000);
	print(way, tid(), waker, shared->begins);
}

#define WAITS(call)                     \
	do {                            \
		shared->begins = now(); \
		call;                   \
	} while (0)
#define WAKES(call)                     \
	do {                            \
		shared->before = now(); \
		call;                   \
		shared->after = now();  \
	} while (0)

static void next_round(void)
{
	while (shared->before)
		rest(100000);
	rest(PAUSE);
}

/* Two processes and a pair of descriptors. */
static void pair(const char *way, int reading, int writing, int receives)
{
	char byte = 0;
	pid_t child = fork();

	if (!child) {
		for (int i = 0; i < ROUNDS; i++) {
			next_round();
			WAKES(must(write(writing, &byte, 1) == 1, "write"));
		}
		_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		if (receives) {
			struct sockaddr_storage from;
			socklen_t size = sizeof(from);

			WAITS(must(recvfrom(reading, &byte, 1, 0, (struct sockaddr *)&from, &size) == 1, "recvfrom"));
		} else {
			WAITS(must(read(reading, &byte, 1) == 1, "read"));
		}
		report(way, child);
	}
	waitpid(child, NULL, 0);
}

static void futex(int op, int value)
{
	syscall(SYS_futex, &shared->word, op, value, NULL, NULL, 0);
}

static void *wakes_futex(void *unused)
{
	shared->waker = tid();
	for (int i = 0; i < ROUNDS; i++) {
		next_round();
		shared->word = 1;
		WAKES(futex(FUTEX_WAKE, 1));
	}
	return unused;
}

static void lock(const char *way)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wakes_futex, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		WAITS(futex(FUTEX_WAIT, 0));
		report(way, shared->waker);
		shared->word = 0;
	}
	pthread_join(thread, NULL);
}

static void timer(const char *way)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec time = { 0, PAUSE };

		WAITS(nanosleep(&time, NULL));
		/* The kernel may end the sleep later, but not earlier. */
		shared->before = shared->begins + PAUSE;
		shared->after = now();
		report(way, 0);
	}
}

static void child(const char *way)
{
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();

		if (!child) {
			rest(PAUSE);
			shared->before = now();
			_exit(0);
		}
		WAITS(waitpid(child, NULL, 0));
		shared->after = now();
		report(way, child);
	}
}

static void file_lock(const char *way)
{
	char path[] = "/tmp/waits-XXXXXX";
	int fd = mkstemp(path);
	pid_t child;

	must(fd >= 0, "mkstemp");
	for (int i = 0; i < ROUNDS; i++) {
		child = fork();
		if (!child) {
			int own = open(path, O_RDWR);

			must(!flock(own, LOCK_EX), "flock");
			shared->word = 1;
			rest(PAUSE);
			WAKES(flock(own, LOCK_UN));
			_exit(0);
		}
		while (!shared->word)
			rest(100000);
		WAITS(must(!flock(fd, LOCK_EX), "flock"));
		report(way, child);
		shared->word = 0;
		flock(fd, LOCK_UN);
		waitpid(child, NULL, 0);
	}
	unlink(path);
}

/* A signal stops a process, and another one lets it go on: a wait outside calls. */
static void stopped(const char *way)
{
	pid_t child = fork();

	if (!child) {
		for (;;)
			WAITS(kill(getpid(), SIGSTOP));
	}
	for (int i = 0; i < ROUNDS; i++) {
		long begins;

		waitpid(child, NULL, WUNTRACED);
		begins = shared->begins;
		rest(PAUSE);
		WAKES(kill(child, SIGCONT));
		print(way, child, tid(), begins);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A page of memory comes from another thread: a wait outside calls. */
struct pager {
	int fd;
	char *page;
	long size;
};

static void *serves_pages(void *argument)
{
	struct pager *pager = argument;
	char *source = mmap(NULL, pager->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	shared->waker = tid();
	for (int i = 0; i < ROUNDS; i++) {
		struct uffd_msg message;
		struct uffdio_copy copy = { .src = (long)source, .len = pager->size };

		must(read(pager->fd, &message, sizeof(message)) == sizeof(message), "read of a fault");
		rest(PAUSE);
		copy.dst = message.arg.pagefault.address & -pager->size;
		WAKES(must(!ioctl(pager->fd, UFFDIO_COPY, &copy), "UFFDIO_COPY"));
	}
	return argument;
}

static void fault(const char *way)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct pager pager = { syscall(SYS_userfaultfd, O_CLOEXEC), NULL, getpagesize() };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	must(pager.fd >= 0 && !ioctl(pager.fd, UFFDIO_API, &api), "userfaultfd");
	pager.page = mmap(NULL, ROUNDS * pager.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (long)pager.page;
	range.range.len = ROUNDS * pager.size;
	must(!ioctl(pager.fd, UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	pthread_create(&thread, NULL, serves_pages, &pager);
	for (int i = 0; i < ROUNDS; i++) {
		WAITS(*(volatile char *)(pager.page + i * pager.size));
		report(way, shared->waker);
	}
	pthread_join(thread, NULL);
}

/* The time of this thread on its CPU. */
static long ran(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Computes. The time without a CPU is a wait outside calls. */
static void computes_beside(const char *way, int taker)
{
	for (int i = 0; i < ROUNDS; i++) {
		long begins = now(), before = ran();

		while (now() < begins + 5 * PAUSE)
			;
		shared->before = shared->after = now() - (ran() - before);
		print(way, tid(), taker, begins);
	}
}

/* Two processes want the same CPU. */
static void hog(const char *way)
{
	cpu_set_t one;
	pid_t child;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	must(!sched_setaffinity(0, sizeof(one), &one), "sched_setaffinity");
	child = fork();
	if (!child) {
		for (;;)
			;
	}
	computes_beside(way, child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void computes(const char *way)
{
	computes_beside(way, 0);
}

static void pipe_pair(const char *way)
{
	int ends[2];

	must(!pipe(ends), "pipe");
	pair(way, ends[0], ends[1], 0);
}

static void socket_pair(const char *way)
{
	int ends[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	pair(way, ends[0], ends[1], !strcmp(way, "recvfrom"));
}

static const struct {
	const char *way;
	void (*wait)(const char *way);
} WAYS[] = {
	{ "pipe", pipe_pair }, { "socket", socket_pair }, { "recvfrom", socket_pair }, { "lock", lock }, { "timer", timer }, { "child", child },
	{ "flock", file_lock }, { "stopped", stopped }, { "fault", fault }, { "hog", hog }, { "computes", computes },
};
#define COUNT (sizeof(WAYS) / sizeof(*WAYS))

int main(int argc, char **argv)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(shared != MAP_FAILED, "mmap");
	for (size_t i = 0; argc > 1 && i < COUNT; i++) {
		if (!strcmp(argv[1], WAYS[i].way)) {
			WAYS[i].wait(argv[1]);
			return 0;
		}
	}
	fprintf(stderr, "usage: %s WAY, which is one of:", argv[0]);
	for (size_t i = 0; i < COUNT; i++)
		fprintf(stderr, " %s", WAYS[i].way);
	fprintf(stderr, "\n");
	return 2;
}
