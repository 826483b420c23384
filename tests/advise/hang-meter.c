// finds: hang
// estimate: nothing is saved, but all is lost
// says: only thread
// A child waits for input from a pipe that has no writer, and reports its progress each half second, until an alarm
// ends it. Corrected, input comes each time.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	pid_t child = fork();
	if (child == 0) {
		int ends[2];
		char byte, meter[64];
		if (pipe(ends) != 0)
			_exit(1);
		// The alarm can come only while the child waits. On a busy machine it might come in between otherwise.
		sigset_t alarms, none;
		sigemptyset(&none);
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarms, NULL);
		alarm(3);
		for (int i = 0; i < 10; i++) {
			struct pollfd fd = {.fd = ends[0], .events = POLLIN};
			if (argc > 1 && write(ends[1], "x", 1) != 1)
				_exit(1);
			struct timespec half = {0, 500 * 1000 * 1000};
			if (ppoll(&fd, 1, &half, &none) > 0 && read(ends[0], &byte, 1) != 1)
				_exit(1);
			int length = snprintf(meter, sizeof meter, "%d bytes so far\n", argc > 1 ? i : 0);
			if (write(STDOUT_FILENO, meter, length) != length)
				_exit(1);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
