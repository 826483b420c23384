/*
 * Checks whether backpressure can be noticed by the program that fills the ring: by results of calls that a tracer may change. Prints
 * what is wrong, and exits with 0 if nothing is. Given the path of a set-uid copy of itself, it also checks the copy's privileges.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
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

/* Every signal arrives exactly once. */
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

/* One of the threads that fill the ring calls execve, so the others die. */
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

/* Counts of failures, which are told at the end. */
static int interrupted, refused, unprivileged;

/* Waits last until their timeout, because no signal is sent. */
static void waits(void)
{
	struct timespec ms = { 0, 1000000 };
	struct timeval tv = { 0, 1000 };
	struct epoll_event event;
	sigset_t none;
	char c;
	int ep = epoll_create1(0), pair[2];

	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	CHECK(!sigprocmask(SIG_BLOCK, &none, NULL));
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	CHECK(!setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	for (int i = 0; i < 150; i++) {
		busy(50);
		interrupted += epoll_wait(ep, &event, 1, 1) != 0;
		busy(50);
		interrupted += recv(pair[0], &c, 1, 0) != -1 || errno != EAGAIN;
		busy(50);
		interrupted += sigtimedwait(&none, NULL, &ms) != -1 || errno != EAGAIN;
	}
	close(ep);
	close(pair[0]);
	close(pair[1]);
}

/* A program's own use of ptrace works. */
static void ptraces(void)
{
	int status;

	for (int i = 0; i < 150; i++) {
		pid_t pid = fork();

		if (!pid) {
			busy(100);
			_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
		}
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		refused += WEXITSTATUS(status);
	}
	for (int i = 0; i < 100; i++) {
		pid_t pid = producer();

		busy(100);
		refused += ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0;
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	}
}

/* A set-uid program is executed with the rights of its owner. */
static void privileges(char *program)
{
	int status;

	for (int i = 0; i < 150; i++) {
		pid_t pid = fork();

		if (!pid) {
			busy(1000);
			execl(program, program, "end", "privileged", NULL);
			_exit(9);
		}
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
		unprivileged += WEXITSTATUS(status) != 7;
	}
}

int main(int argc, char **argv)
{
	pid_t background[2];

	if (argc > 1 && !strcmp(argv[1], "end"))
		return argc > 2 && geteuid() ? 8 : 7;
	busy(100000);
	signals();
	stops();
	for (int i = 0; i < 5; i++)
		execs(argv[0]);
	for (int i = 0; i < 2; i++)
		background[i] = producer();
	waits();
	ptraces();
	if (argc > 1)
		privileges(argv[1]);
	for (int i = 0; i < 2; i++) {
		kill(background[i], SIGKILL);
		waitpid(background[i], NULL, 0);
	}
	printf("interrupted %d, refused %d, unprivileged %d\n", interrupted, refused, unprivileged);
	return interrupted || refused || unprivileged;
}
