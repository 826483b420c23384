/* What may happen to threads that are held, seen from within. Exits with 0 if nothing is out of the ordinary. */
#define _GNU_SOURCE
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

#define SIGNALS 500
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); exit(1); } } while (0)

static volatile int received;

static void receive(int sig)
{
	received++;
}

static void busy(long calls)
{
	while (calls--)
		syscall(SYS_getppid);
}

static void *endless(void *arg)
{
	for (;;)
		busy(1000);
	return NULL;
}

static pid_t producer(void)
{
	pid_t pid = fork();

	if (!pid)
		endless(NULL);
	return pid;
}

static void pause_ms(int ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

/* Every signal arrives, once. */
static void signals(void)
{
	union sigval none = { 0 };
	pid_t parent = getpid(), pid;
	int status;

	signal(SIGRTMIN + 1, receive);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < SIGNALS; i++) {
			CHECK(!sigqueue(parent, SIGRTMIN + 1, none));
			if (i % 50 == 0)
				pause_ms(1);
		}
		_exit(0);
	}
	while (received < SIGNALS)
		busy(100);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	busy(1000);
	CHECK(received == SIGNALS);
}

/* A parent learns of its child's stop, continuation and death, and of nothing else. */
static void stops(void)
{
	pid_t pid = producer();
	int status;

	for (int i = 0; i < 5; i++) {
		pause_ms(20);
		kill(pid, SIGSTOP);
		CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
		pause_ms(5);
		kill(pid, SIGCONT);
		CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
	}
	pause_ms(20);
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(waitpid(-1, &status, 0) == -1);
}

/* Threads that are held die by their process's execve, which one that may be held itself calls. */
static void execs(char *self)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		pthread_t thread;

		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&thread, NULL, endless, NULL));
		pause_ms(30);
		busy(20000);
		execl(self, self, "end", NULL);
		_exit(9);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 7;
	busy(100000);
	signals();
	stops();
	for (int i = 0; i < 5; i++)
		execs(argv[0]);
	return 0;
}
