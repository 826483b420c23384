// finds: retries
// says: with kill whether process
// says: (program) still existed
// Waits for the end of a process by asking whether it still exists; corrected, with waitpid(2).
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	// The kernel removes children whose end is not asked for.
	if (argc == 1)
		signal(SIGCHLD, SIG_IGN);
	pid_t child = fork();
	if (child == 0) {
		usleep(600000);
		_exit(0);
	}
	if (argc > 1)
		return waitpid(child, NULL, 0) != child;
	while (kill(child, 0) == 0)
		usleep(1000);
	return 0;
}
