/* notices MODE COUNT [HELPER]: a program that would notice a tracer. Its output tells the results of its own calls, and is the same
 * each time unless another process interferes. All threads make many calls between the tested ones, so that a ring buffer fills
 * up. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WRITERS = 3 };

static int count;
static atomic_int finished;

static void must(int ok, const char *what)
{
	if (!ok) {
		printf("%s: %s\n", what, strerror(errno));
		fflush(stdout);
		_exit(9);
	}
}

static void flood(int calls)
{
	while (calls--)
		syscall(SYS_getppid);
}

/* Fills the ring until the other threads are done. */
static void *flooding(void *unused)
{
	while (!finished)
		flood(100);
	return unused;
}

static int wrong_epoll, wrong_recv, wrong_sigtimedwait;

static void *waits_epoll(void *unused)
{
	int epoll = epoll_create1(0);
	must(epoll >= 0, "epoll_create1");
	for (int i = 0; i < count; i++) {
		struct epoll_event event;
		flood(30);
		wrong_epoll += epoll_wait(epoll, &event, 1, 1) != 0;
	}
	return unused;
}

static void *waits_recv(void *unused)
{
	int pair[2];
	char byte;
	struct timeval timeout = { .tv_usec = 1000 };
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	must(!setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), "SO_RCVTIMEO");
	for (int i = 0; i < count; i++) {
		flood(30);
		wrong_recv += recv(pair[0], &byte, 1, 0) != -1 || errno != EAGAIN;
	}
	return unused;
}

static void *waits_sigtimedwait(void *unused)
{
	sigset_t set;
	struct timespec timeout = { .tv_nsec = 1000000 };
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	for (int i = 0; i < count; i++) {
		flood(30);
		wrong_sigtimedwait += sigtimedwait(&set, NULL, &timeout) != -1 || errno != EAGAIN;
	}
	return unused;
}

static void waits(void)
{
	pthread_t ids[3], writers[WRITERS];
	void *(*what[3])(void *) = { waits_epoll, waits_recv, waits_sigtimedwait };
	for (int i = 0; i < WRITERS; i++)
		must(!pthread_create(&writers[i], NULL, flooding, NULL), "pthread_create");
	for (int i = 0; i < 3; i++)
		must(!pthread_create(&ids[i], NULL, what[i], NULL), "pthread_create");
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
	finished = 1;
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	printf("of %d waits that end by their timeout, so many ended otherwise: epoll_wait %d, recv %d, sigtimedwait %d\n",
	       count, wrong_epoll, wrong_recv, wrong_sigtimedwait);
}

/* Children that let themselves be traced (PTRACE_TRACEME), two at a time. */
static void traceme(void)
{
	int refused = 0, odd = 0;
	for (int i = 0; i < count; i++) {
		pid_t ids[2];
		for (int j = 0; j < 2; j++) {
			ids[j] = fork();
			must(ids[j] >= 0, "fork");
			if (!ids[j]) {
				flood(400);
				_exit(ptrace(PTRACE_TRACEME, 0, 0, 0) ? 1 : 0);
			}
		}
		for (int j = 0; j < 2; j++) {
			int status;
			must(waitpid(ids[j], &status, 0) == ids[j], "waitpid");
			refused += status == 0x100;
			odd += status != 0 && status != 0x100;
		}
	}
	printf("of %d children, PTRACE_TRACEME was refused to %d, and %d ended otherwise\n", 2 * count, refused, odd);
}

/* A debugger that attaches to its child, stops it, and lets go. */
static void seize(void)
{
	int refused = 0, odd = 0;
	pid_t child = fork();
	must(child >= 0, "fork");
	if (!child)
		for (;;)
			flood(100);
	for (int i = 0; i < count; i++) {
		int status;
		flood(200);
		if (ptrace(PTRACE_SEIZE, child, 0, 0)) {
			refused++;
			continue;
		}
		must(!ptrace(PTRACE_INTERRUPT, child, 0, 0), "PTRACE_INTERRUPT");
		must(waitpid(child, &status, __WALL) == child, "waitpid");
		odd += status != (PTRACE_EVENT_STOP << 16 | SIGTRAP << 8 | 0x7f);
		must(!ptrace(PTRACE_DETACH, child, 0, 0), "PTRACE_DETACH");
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("of %d times, PTRACE_SEIZE was refused %d times, and %d stops were odd\n", count, refused, odd);
}

/* A set-uid helper reports whether it has its owner's rights. */
static void setuids(const char *helper)
{
	int without = 0, odd = 0;
	for (int i = 0; i < count; i++) {
		pid_t ids[4];
		for (int j = 0; j < 4; j++) {
			ids[j] = fork();
			must(ids[j] >= 0, "fork");
			if (!ids[j]) {
				flood(800);
				execl(helper, helper, "rights", "1", NULL);
				_exit(9);
			}
		}
		for (int j = 0; j < 4; j++) {
			int status;
			must(waitpid(ids[j], &status, 0) == ids[j], "waitpid");
			without += status == 0x100;
			odd += status != 0 && status != 0x100;
		}
	}
	printf("of %d set-uid programs, %d ran without their rights, and %d ended otherwise\n", 4 * count, without, odd);
}

static void counted(int unused)
{
	atomic_fetch_add(&finished, unused != 0);
}

/* Real-time signals queue, so each signal that is sent must be received. */
static void signals(void)
{
	signal(SIGRTMIN, counted);
	pid_t parent = getpid(), child = fork();
	must(child >= 0, "fork");
	if (!child) {
		for (int i = 0; i < count; i++) {
			union sigval value = { .sival_int = i };
			while (sigqueue(parent, SIGRTMIN, value) && errno == EAGAIN)
				usleep(100);
			flood(10);
		}
		_exit(0);
	}
	int status;
	while (waitpid(child, &status, 0) != child)
		flood(10);
	for (int i = 0; i < 2000 && finished < count; i++)
		poll(NULL, 0, 1);
	printf("%d signals sent, %d taken; the sender ended with %d\n", count, finished, status);
}

/* The reports of waitpid about children that stop, continue, exit and are killed. */
static void waitpids(void)
{
	int seen[6] = { 0 };
	for (int i = 0; i < count; i++) {
		int status;
		pid_t child = fork();
		must(child >= 0, "fork");
		if (!child) {
			flood(100);
			raise(SIGSTOP);
			flood(100);
			if (i % 2)
				raise(SIGKILL);
			_exit(i % 100);
		}
		flood(100);
		must(waitpid(child, &status, WUNTRACED) == child, "waitpid");
		seen[WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP ? 0 : 5]++;
		kill(child, SIGCONT);
		/* The child may end before this process asks whether it continued. */
		must(waitpid(child, &status, WCONTINUED) == child, "waitpid");
		seen[1]++;
		if (WIFCONTINUED(status))
			must(waitpid(child, &status, 0) == child, "waitpid");
		if (WIFEXITED(status) && WEXITSTATUS(status) == i % 100)
			seen[2]++;
		else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			seen[3]++;
		else
			seen[5]++;
	}
	printf("children: %d stopped, %d went on, %d exited, %d were killed, %d did otherwise\n", seen[0], seen[1], seen[2], seen[3],
	       seen[5]);
}

static int fault_fd, out[2];
static char *page;

static void *supplies(void *unused)
{
	char *full = aligned_alloc(4096, 4096);
	memset(full, 'p', 4096);
	for (int i = 0; i < count; i++) {
		struct uffd_msg message;
		must(read(fault_fd, &message, sizeof message) == sizeof message, "read of a fault");
		/* The supplier first makes more calls than a small ring holds, and only then supplies the page. */
		struct timespec pause = { .tv_nsec = 150000000 };
		nanosleep(&pause, NULL);
		flood(20000);
		struct uffdio_copy copy = { .dst = (unsigned long)page, .src = (unsigned long)full, .len = 4096 };
		must(!ioctl(fault_fd, UFFDIO_COPY, &copy) || errno == EEXIST, "UFFDIO_COPY");
	}
	return unused;
}

/* write(2) from a page that another thread supplies. */
static void supplied(void)
{
	long written = 0;
	pthread_t supplier;
	struct uffdio_api api = { .api = UFFD_API };
	fault_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	must(fault_fd >= 0, "userfaultfd");
	must(!ioctl(fault_fd, UFFDIO_API, &api), "UFFDIO_API");
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = { .range = { (unsigned long)page, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	must(!ioctl(fault_fd, UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	must(!pipe(out), "pipe");
	must(!pthread_create(&supplier, NULL, supplies, NULL), "pthread_create");
	for (int i = 0; i < count; i++) {
		char back[4096];
		must(!madvise(page, 4096, MADV_DONTNEED), "madvise");
		ssize_t n = write(out[1], page, 64);
		must(n == 64, "write");
		must(read(out[0], back, 64) == 64, "read");
		written += back[0] == 'p' ? n : 0;
	}
	pthread_join(supplier, NULL);
	printf("%ld bytes written from pages that another thread supplied\n", written);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 9;
	const char *mode = argv[1];
	sigset_t set;
	count = atoi(argv[2]);
	if (!strcmp(mode, "rights"))
		return geteuid() != getuid() ? 0 : 1;
	/* All threads block these signals, so that sigtimedwait gets them. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!strcmp(mode, "waits"))
		waits();
	else if (!strcmp(mode, "traceme"))
		traceme();
	else if (!strcmp(mode, "seize"))
		seize();
	else if (!strcmp(mode, "setuid") && argc > 3)
		setuids(argv[3]);
	else if (!strcmp(mode, "signals"))
		signals();
	else if (!strcmp(mode, "waitpid"))
		waitpids();
	else if (!strcmp(mode, "supplied"))
		supplied();
	else
		return 9;
	return 0;
}
