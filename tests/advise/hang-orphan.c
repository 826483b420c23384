// finds: hang
// estimate: nothing is saved, but all is lost
// says: whose other end only it has itself
// says: was killed by signal 9
// never: deadlock
// Waits for results from a worker that was killed, until an alarm ends it; its own end for writing keeps the pipe open.
// Corrected, it closes that end.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	pid_t consumer = fork();
	if (consumer == 0) {
		int results[2];
		char c;
		if (pipe(results))
			_exit(1);
		pid_t worker = fork();
		if (worker == 0) {
			if (write(results[1], "x", 1) != 1)
				_exit(1);
			if (corrected)
				_exit(0);
			raise(SIGKILL);
		}
		if (corrected)
			close(results[1]);
		waitpid(worker, NULL, 0);
		alarm(corrected ? 0 : 3);
		while (read(results[0], &c, 1) == 1)
			;
		_exit(0);
	}
	waitpid(consumer, NULL, 0);
	return 0;
}
