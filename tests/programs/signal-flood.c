/* signal-flood COUNT: two processes each send COUNT ignored signals to a third, which sleeps in one call. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int count = atoi(argv[1]), pipes[2];
	char byte;
	if (pipe(pipes))
		return 9;
	pid_t receiver = fork();
	if (!receiver) {
		if (write(pipes[1], "", 1) != 1)
			_exit(9);
		for (;;)
			pause();
	}
	if (read(pipes[0], &byte, 1) != 1)
		return 9;
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			for (int j = 0; j < count; j++)
				kill(receiver, SIGWINCH);
			_exit(0);
		}
	for (int i = 0; i < 2; i++)
		wait(NULL);
	kill(receiver, SIGKILL);
	wait(NULL);
	return 0;
}
