/*
 * Calls whose results a tracer may change. Each scene prints what the program sees.
 *
 * calls: a fixed sequence of calls, and their results.
 * threads N: N threads, one after another, that make the same calls.
 * loop: after "ready", chdir again and again; each result is a letter: o for 0, e for EIO, and x for any other. It never waits for a
 * reader: if there is no room, letters come later, and those that are there already only once.
 * handler: a handler for SIGUSR1, chdir, and how often the handler ran.
 * delayed: a child calls chdir and is killed; the parent reports it.
 * lines: requests of a GPIO chip that is not there.
 * birth: fork, vfork and a thread, and which of them were there.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void told(const char *name, long r)
{
	if (r < 0)
		printf("%s: error %d\n", name, errno);
	else
		printf("%s: %ld\n", name, r);
}

static void *calls(void *unused)
{
	char dir[16] = "????";
	long r;

	for (int i = 0; i < 4; i++)
		told("chdir", syscall(SYS_chdir, "/dev"));
	r = syscall(SYS_getcwd, dir, sizeof(dir));
	told("getcwd", r);
	printf("dir: %s\n", dir);
	return unused;
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	handled++;
}

static void *thread(void *there)
{
	*(int *)there = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "calls";
	pthread_t id;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(scene, "calls")) {
		calls(NULL);
	} else if (!strcmp(scene, "threads")) {
		for (int i = 0; i < atoi(argv[2]); i++) {
			pthread_create(&id, NULL, calls, NULL);
			pthread_join(id, NULL);
		}
	} else if (!strcmp(scene, "loop")) {
		const char *letters = "xeo";
		int seen[3] = { 0 };

		puts("ready");
		fcntl(1, F_SETFL, O_WRONLY | O_NONBLOCK);
		for (;;) {
			seen[syscall(SYS_chdir, "/") == 0 ? 2 : errno == EIO ? 1 : 0] = 1;
			for (int i = 0; i < 3; i++)
				if (seen[i] && write(1, &letters[i], 1) == 1)
					seen[i] = 0;
		}
	} else if (!strcmp(scene, "handler")) {
		signal(SIGUSR1, handler);
		told("chdir", syscall(SYS_chdir, "/"));
		printf("handled: %d\n", handled);
	} else if (!strcmp(scene, "delayed")) {
		int ends[2], status;
		pid_t child;
		char c;

		pipe(ends);
		child = fork();
		if (!child) {
			close(ends[0]);
			write(ends[1], "", 1);
			syscall(SYS_chdir, "/");
			_exit(3);
		}
		read(ends[0], &c, 1);
		for (int i = 0; i < 20; i++)
			getppid();
		/* The child waits in its call, or before it. */
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		printf("killed: %d\n", WIFSIGNALED(status));
	} else if (!strcmp(scene, "lines")) {
		struct gpioline_info line = { 7, GPIOLINE_FLAG_IS_OUT, "seven", "test" };
		struct gpiohandle_request handle = { { 3, 4 }, GPIOHANDLE_REQUEST_OUTPUT, { 1, 0 }, "test", 2, 9 };

		told("info", ioctl(-1, GPIO_GET_LINEINFO_IOCTL, &line));
		told("handle", ioctl(-1, GPIO_GET_LINEHANDLE_IOCTL, &handle));
	} else if (!strcmp(scene, "birth")) {
		int there = 0;
		pid_t child = fork();

		if (!child)
			_exit(0);
		printf("fork: %d\n", child > 0 ? 0 : errno);
		child = vfork();
		if (!child)
			_exit(0);
		printf("vfork: %d\n", child > 0 ? 0 : errno);
		printf("thread: %d", pthread_create(&id, NULL, thread, &there));
		if (!there)
			puts("");
		while (wait(NULL) > 0)
			;
	}
	return 0;
}
