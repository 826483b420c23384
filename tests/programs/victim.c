/* The program that the tests trace: `victim WHAT`. It makes few syscalls, and the tests name those that they look for. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char self[4096];

/* The state of a thread in one letter. A thread that a tracer has stopped does not sleep. */
static char state_of(const char *pid, const char *tid)
{
	char path[600], stat[512] = "";
	snprintf(path, sizeof path, "/proc/%s/task/%s/stat", pid, tid);
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	char *state = read(fd, stat, sizeof stat - 1) > 0 ? strrchr(stat, ')') : 0;
	close(fd);
	return state ? state[2] : 0;
}

/* True if a thread is in pause(2). A new thread may sleep elsewhere. */
static int pauses(const char *tid)
{
	char path[600], call[32] = "";
	snprintf(path, sizeof path, "/proc/self/task/%s/syscall", tid);
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	int known = read(fd, call, sizeof call - 1) > 0;
	close(fd);
#ifdef SYS_pause
	return known && call[0] >= '0' && call[0] <= '9' && atoi(call) == SYS_pause;
#else
	return known && atoi(call) == SYS_ppoll;
#endif
}

/* Returns when this many threads sleep in pause(2). */
static void until_asleep(int wanted)
{
	for (int asleep = 0; asleep < wanted;) {
		DIR *tasks = opendir("/proc/self/task");
		asleep = 0;
		for (struct dirent *task; (task = readdir(tasks));)
			asleep += pauses(task->d_name) && state_of("self", task->d_name) == 'S';
		closedir(tasks);
	}
}

static void *exec_thread(void *arg)
{
	until_asleep(2);
	/* Meanwhile, the tracer hands out the events that it has seen of them. */
	usleep(50000);
	execl(self, "victim", "exit", "7", (char *)0);
	return arg;
}

static void *pause_thread(void *arg)
{
	pause();
	return arg;
}

static void *getppid_thread(void *arg)
{
	getppid();
	return arg;
}

static void on_signal(int s)
{
	(void)s;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;
	self[readlink("/proc/self/exe", self, sizeof self - 1)] = 0;

	if (!strcmp(what, "exit"))
		return n;
	if (!strcmp(what, "fork")) {
		char parent[16];
		snprintf(parent, sizeof parent, "%d", getpid());
		if (fork() == 0) {
			getppid();
			/* The parent waits when the signal comes. */
			while (state_of(parent, parent) != 'S')
				;
			_exit(4);
		}
		wait(0);
		return 3;
	}
	if (!strcmp(what, "vfork")) {
		if (vfork() == 0) {
			execl(self, "victim", "exit", "5", (char *)0);
			_exit(9);
		}
		wait(0);
		return 3;
	}
	if (!strcmp(what, "threads")) {
		pthread_t t[8];
		for (int i = 0; i < 8; i++)
			pthread_create(&t[i], 0, getppid_thread, 0);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], 0);
		return 0;
	}
	if (!strcmp(what, "forks")) {
		for (int i = 0; i < 50; i++)
			if (fork() == 0) {
				getppid();
				_exit(0);
			}
		while (wait(0) > 0)
			;
		return 0;
	}
	if (!strcmp(what, "exec-thread")) {
		pthread_t t;
		pthread_create(&t, 0, pause_thread, 0);
		pthread_create(&t, 0, exec_thread, 0);
		pause();
	}
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		kill(getpid(), SIGUSR1);
		kill(getpid(), SIGTERM);
	}
	if (!strcmp(what, "stop")) {
		kill(getpid(), SIGSTOP);
		return 2;
	}
	if (!strcmp(what, "sleep")) {
		struct timespec t = { n / 1000, n % 1000 * 1000000l };
		int r = syscall(SYS_nanosleep, &t, 0);
		return r ? errno : 0;
	}
	if (!strcmp(what, "poll")) {
		/* Like a sleep, a call that a stop interrupts and that restart_syscall(2) resumes; but input ends it. */
		struct pollfd in = { 0, POLLIN };
		int r = poll(&in, 1, 600000);
		return r == 1 ? 0 : r ? errno : 100;
	}
	if (!strcmp(what, "pause-threads")) {
		pthread_t t;
		for (int i = 0; i < 3; i++)
			pthread_create(&t, 0, pause_thread, 0);
		pause();
	}
	if (!strcmp(what, "read")) {
		char c;
		int r = read(0, &c, 1);
		return r == 1 ? c : 100;
	}
	if (!strcmp(what, "spawner")) {
		/* Makes calls, children and threads without end, and shows its progress by writing bytes. */
		for (;;) {
			pthread_t t;
			if (fork() == 0)
				_exit(0);
			wait(0);
			pthread_create(&t, 0, getppid_thread, 0);
			pthread_join(t, 0);
			for (int i = 0; i < 20; i++)
				getppid();
			if (write(1, ".", 1) != 1)
				return 1;
		}
	}
	if (!strcmp(what, "env")) {
		/* The facts that a command could find out about its start. */
		for (int s = 1; s < 32; s++) {
			struct sigaction a;
			if (sigaction(s, 0, &a) == 0 && a.sa_handler != SIG_DFL)
				return s;
		}
		sigset_t m;
		sigprocmask(0, 0, &m);
		for (int s = 1; s < 64; s++)
			if (sigismember(&m, s) == 1)
				return s;
		for (int fd = 3; fd < 256; fd++)
			if (syscall(SYS_dup, fd) >= 0)
				return fd;
		return 0;
	}
	return 99;
}
