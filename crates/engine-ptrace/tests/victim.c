/* What the tests trace: `victim WHAT`. Kept to few system calls of which the tests name the ones they look for. */
#define _GNU_SOURCE
#include <errno.h>
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

static void *exec_thread(void *arg)
{
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
		if (fork() == 0) {
			getppid();
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
	if (!strcmp(what, "pause-threads")) {
		pthread_t t;
		for (int i = 0; i < 3; i++)
			pthread_create(&t, 0, pause_thread, 0);
		write(1, "r", 1);
		pause();
	}
	if (!strcmp(what, "read")) {
		char c;
		int r = read(0, &c, 1);
		return r == 1 ? c : 100;
	}
	if (!strcmp(what, "spawner")) {
		/* Makes calls, children and threads without end, and shows that it does by writing bytes. */
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
		/* What a command could find out about the way it was started. */
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
