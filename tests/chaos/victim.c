/* Programs to trace while something bad happens to Stride or to them: victim MODE FILE. All but "argue" and "done" run until
 * they are killed. They count their rounds in FILE, which shows that they run and are neither stopped nor stuck. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int progress;
static atomic_long rounds;

static void went_around(void)
{
	char text[32];
	int len = snprintf(text, sizeof text, "%20ld\n", atomic_fetch_add(&rounds, 1) + 1);
	if (pwrite(progress, text, len, 0) != len)
		_exit(9);
}

static void calls(int count)
{
	while (count--)
		syscall(SYS_getppid);
}

static _Noreturn void *work(void *sleep)
{
	for (;;) {
		calls(50);
		if (sleep)
			usleep(500);
		went_around();
	}
}

/* Never gives up its CPU by itself. */
static _Noreturn void *spin(void *tells)
{
	for (;;) {
		calls(2000);
		if (tells)
			went_around();
	}
}

static void *little(void *unused)
{
	calls(5);
	return unused;
}

/* Makes threads that come and go as fast as they can. */
static _Noreturn void *churn(void *unused)
{
	for (;;) {
		pthread_t some[4];
		int made = 0;
		while (made < 4 && !pthread_create(&some[made], NULL, little, unused))
			made++;
		while (made)
			pthread_join(some[--made], NULL);
		went_around();
	}
}

static void start(int count, void *(*what)(void *), void *with)
{
	pthread_t thread;
	while (count--)
		if (pthread_create(&thread, NULL, what, with))
			exit(9);
}

static char **words;

/* victim exec-from-thread FILE [WHEN]: waits until the file WHEN exists. */
static void *exec_self(void *unused)
{
	(void)unused;
	while (words[3] && access(words[3], F_OK))
		usleep(500);
	execl(words[0], words[0], "done", words[2], NULL);
	_exit(9);
}

static void forks(void)
{
	for (;;) {
		int status;
		pid_t child = fork();
		if (!child) {
			calls(5);
			_exit(7);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
			_exit(8);
		went_around();
	}
}

/* victim argue FILE COUNT: executes "true" with this many arguments. */
static void argue(int count)
{
	char **argv = calloc(count + 2, sizeof *argv);
	argv[0] = "true";
	for (int i = 1; i <= count; i++)
		argv[i] = "a";
	execv("/bin/true", argv);
	_exit(9);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 9;
	words = argv;
	const char *mode = argv[1];
	if (!strcmp(mode, "done")) {
		calls(3);
		return 0;
	}
	progress = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (progress < 0)
		return 9;
	if (!strcmp(mode, "calls"))
		work(NULL);
	if (!strcmp(mode, "sleeper"))
		work(argv);
	if (!strcmp(mode, "threads")) {
		start(7, work, argv);
		work(argv);
	}
	if (!strcmp(mode, "busy")) {
		start(7, work, NULL);
		work(NULL);
	}
	if (!strcmp(mode, "spin")) {
		start(7, spin, NULL);
		spin(argv);
	}
	if (!strcmp(mode, "forks"))
		forks();
	if (!strcmp(mode, "churn")) {
		start(7, churn, NULL);
		churn(NULL);
	}
	if (!strcmp(mode, "dead-leader")) {
		start(3, work, argv);
		pthread_exit(NULL);
	}
	if (!strcmp(mode, "zombie")) {
		/* FILE contains the child's id. No process waits for the child. */
		pid_t child = fork();
		if (!child)
			_exit(0);
		siginfo_t info;
		if (waitid(P_PID, child, &info, WEXITED | WNOWAIT))
			return 9;
		dprintf(progress, "%d\n", child);
		for (;;)
			pause();
	}
	if (!strcmp(mode, "exec-from-thread")) {
		went_around();
		start(1, exec_self, NULL);
		for (;;)
			pause();
	}
	if (!strcmp(mode, "argue"))
		argue(atoi(argv[3]));
	/* Sleeps in one call. Ignored signals do not end it. */
	if (!strcmp(mode, "deaf")) {
		went_around();
		for (;;)
			pause();
	}
	return 9;
}
