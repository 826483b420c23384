// Plays the scene named by its first argument. Tests look at the lines that Stride prints about it.
#define _GNU_SOURCE
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
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **self;
static int pipes[2];

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

/* Returns when the first thread is in this state, as /proc shows it. */
static void until_it_is(char what)
{
	char path[64], stat[512];
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	for (;;) {
		int fd = open(path, O_RDONLY);
		ssize_t len = pread(fd, stat, sizeof stat - 1, 0);
		close(fd);
		stat[len > 0 ? len : 0] = 0;
		char *state = strrchr(stat, ')');
		if (!state || state[2] == what)
			return;
		poll(NULL, 0, 1);
	}
}

/* Returns when the first thread is blocked in a call. A tracing stop is another state. */
static void until_it_waits(void)
{
	until_it_is('S');
}

static void *write_later(void *unused)
{
	until_it_waits();
	write(pipes[1], "x", 1);
	return NULL;
}

/* Reads a byte from the pipe, which another thread writes there. */
static int read_from(void *(*writer)(void *))
{
	char c;
	pthread_t thread;
	pipe(pipes);
	pthread_create(&thread, NULL, writer, NULL);
	read(pipes[0], &c, 1);
	pthread_join(thread, NULL);
	return 0;
}

/* One thread waits for the bytes that another one writes. */
static int wait_in_turns(void)
{
	return read_from(write_later);
}

static void *exec_later(void *unused)
{
	char *argv[] = { self[0], "nothing", NULL };
	until_it_waits();
	execve(self[0], argv, NULL);
	return NULL;
}

/* Another thread than the first calls execve while the first one sleeps. */
static int exec_from_thread(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, exec_later, NULL);
	nap(100000);
	return 1;
}

static void *pass_on(void *unused)
{
	char c;
	if (read(0, &c, 1) == 1)
		write(pipes[1], &c, 1);
	return NULL;
}

/* Two threads are blocked until input comes. */
static int wait_for_input(void)
{
	return read_from(pass_on);
}

static void *exec_told(void *unused)
{
	char c, *argv[] = { self[0], "nothing", NULL };
	read(0, &c, 1);
	execve(self[0], argv, NULL);
	return NULL;
}

/* Does the same as exec_from_thread, but when input comes. */
static int exec_when_told(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, exec_told, NULL);
	nap(100000);
	return 1;
}

#ifdef __x86_64__
/* Makes a 32-bit call. */
static int old_call(int number)
{
	int result = number;
	asm volatile("int $0x80" : "+a"(result) : "b"(-1) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int old_close(void)
{
	return old_call(6);
}
#endif

/* Calls of two ABIs in turn, and children that begin with either. */
static int two_modes(void)
{
#ifdef __x86_64__
	if (old_close() != -EBADF)
		return 77;
	close(-1);
	old_close();
	old_close();
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
		close(-1);
		_exit(0);
	}
	wait(NULL);
	return 0;
#else
	return 77;
#endif
}

/* A 32-bit call with a number below all others. */
static int old_unknown(void)
{
#ifdef __x86_64__
	return old_call(-1000) == -ENOSYS ? 0 : 77;
#else
	return 77;
#endif
}

static int is_gone(const char *thread)
{
	char text[256] = "", *state;
	FILE *stat = fopen(thread, "r");
	if (stat && !fgets(text, sizeof text, stat))
		text[0] = 0;
	if (stat)
		fclose(stat);
	state = strrchr(text, ')');
	return state && state[2] == 'Z';
}

/* Goes on when the first thread is a zombie. */
static void *go_later(void *status)
{
	while (!is_gone("/proc/self/stat"))
		nap(1);
	syscall((long)status ? SYS_exit_group : SYS_exit, (long)status);
	return NULL;
}

/* The first thread ends before the other one, which ends the process or only itself. */
static int first_goes_first(void)
{
	pthread_t thread;
	pid_t child = fork();
	pthread_create(&thread, NULL, go_later, (void *)(child ? 0L : 3L));
	if (child)
		waitpid(child, NULL, 0);
	syscall(SYS_exit, 42);
	return 1;
}

/* An ignored signal comes between two calls. */
static int ignored_alarm(void)
{
	struct itimerval soon = { .it_value = { .tv_usec = 10000 } };
	struct timespec start, now;
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &soon, NULL);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 200);
	close(-1);
	close(-2);
	return 0;
}

static void ignore(int signal) {}

/* Signals that are handled, that interrupt, that stop, and that kill. */
static int signals(void)
{
	struct sigaction handled = { .sa_handler = ignore };
	int status;
	sigaction(SIGUSR1, &handled, NULL);
	kill(getpid(), SIGUSR1);
	pid_t child = fork();
	if (child == 0) {
		sigset_t none;
		sigset_t usr2;
		struct sigaction handler = { .sa_handler = ignore };
		sigemptyset(&none);
		sigemptyset(&usr2);
		sigaddset(&usr2, SIGUSR2);
		sigaction(SIGUSR2, &handler, NULL);
		sigprocmask(SIG_BLOCK, &usr2, NULL);
		kill(getpid(), SIGUSR2);
		sigsuspend(&none);
		raise(SIGSTOP);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, WUNTRACED);
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	return 0;
}

static void *sit(void *unused)
{
	pause();
	return NULL;
}

/* Three threads wait for ever, once all are there. */
static int sit_together(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, sit, NULL);
	pthread_create(&thread, NULL, sit, NULL);
	nap(10);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}

/* Sleeps in a call that the kernel restarts behind the program's back. */
static int sleep_on(void)
{
	puts("ready");
	fflush(stdout);
	nap(100000);
	return 0;
}

/* Syscall numbers that do not exist. */
static int unknown(void)
{
	syscall(2000, 1L, 2L, 3L, 4L, 5L, 6L);
	syscall(2001, 0L, 0L, 0L, 0L, 0L, 0L);
	return 0;
}

/* A child that its parent hands to Stride. */
static int give_away(void)
{
	pid_t child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	while (kill(child, 0) == 0)
		nap(1);
	return 0;
}

/* A child that the kernel attaches to Stride without -f. */
static int share(void)
{
	pid_t child = syscall(SYS_clone, CLONE_PTRACE | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(7);
	int status;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WEXITSTATUS(status);
}

static void *until_input_ends(void *unused)
{
	char c;
	while (read(0, &c, 1) > 0)
		getppid();
	until_it_is('Z');
	syscall(SYS_exit_group, 9);
	return NULL;
}

/* The first thread ends. Another one waits for the end of input, then ends the process. */
static int first_leaves(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, until_input_ends, NULL);
	puts("ready");
	fflush(stdout);
	syscall(SYS_exit, 42);
	return 1;
}

static void *exec_after_it(void *unused)
{
	char *argv[] = { self[0], "nothing", NULL };
	until_it_is('Z');
	execve(self[0], argv, NULL);
	return NULL;
}

/* The first thread has ended when another one calls execve. */
static int exec_for_the_dead(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, exec_after_it, NULL);
	syscall(SYS_exit, 42);
	return 1;
}

static void *nothing(void *unused)
{
	getppid();
	return NULL;
}

static void *make_threads(void *unused)
{
	for (;;) {
		pthread_t threads[4];
		for (int i = 0; i < 4; i++)
			pthread_create(threads + i, NULL, nothing, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
}

/* Threads come and go until the input ends. */
static int churn(void)
{
	char c;
	pthread_t thread;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, make_threads, NULL);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	_exit(0);
}

/* A child has ended, and the parent does not wait for it until the input ends. */
static int leave_a_zombie(void)
{
	siginfo_t info;
	char c;
	pid_t child = fork();
	if (child == 0)
		_exit(3);
	waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	printf("%d\n", child);
	fflush(stdout);
	read(0, &c, 1);
	return 0;
}

/* Twenty ignored signals reach a thread in a call. */
static int ignored_in_a_call(void)
{
	static const int ignored[] = { SIGWINCH, SIGURG, SIGCONT };
	char c;
	pid_t parent = getpid();
	signal(SIGCHLD, SIG_IGN);
	pipe(pipes);
	if (fork() == 0) {
		char path[64], stat[512];
		snprintf(path, sizeof path, "/proc/%d/stat", parent);
		do {
			int fd = open(path, O_RDONLY);
			ssize_t len = read(fd, stat, sizeof stat - 1);
			close(fd);
			stat[len > 0 ? len : 0] = 0;
			nap(1);
		} while (!strstr(stat, ") S "));
		for (int i = 0; i < 20; i++)
			kill(parent, ignored[i % 3]);
		write(pipes[1], "x", 1);
		_exit(0);
	}
	read(pipes[0], &c, 1);
	close(-1);
	return 0;
}

static const struct {
	const char *name;
	int (*play)(void);
} scenes[] = {
	{ "wait_in_turns", wait_in_turns },
	{ "exec_from_thread", exec_from_thread },
	{ "wait_for_input", wait_for_input },
	{ "exec_when_told", exec_when_told },
	{ "two_modes", two_modes },
	{ "first_goes_first", first_goes_first },
	{ "ignored_alarm", ignored_alarm },
	{ "signals", signals },
	{ "sit_together", sit_together },
	{ "sleep_on", sleep_on },
	{ "unknown", unknown },
	{ "old_unknown", old_unknown },
	{ "give_away", give_away },
	{ "share", share },
	{ "first_leaves", first_leaves },
	{ "exec_for_the_dead", exec_for_the_dead },
	{ "churn", churn },
	{ "leave_a_zombie", leave_a_zombie },
	{ "ignored_in_a_call", ignored_in_a_call },
};

int main(int argc, char **argv)
{
	self = argv;
	for (size_t i = 0; argc > 1 && i < sizeof scenes / sizeof *scenes; i++)
		if (strcmp(scenes[i].name, argv[1]) == 0)
			return scenes[i].play();
	return 0;
}
