// finds:
// estimate: nothing is found
// A process waits for its child, which is at work, when both are killed. That is no hang. With an argument, the child has done its
// work before.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char piece[1 << 16];

static void work(int corrected) {
	int out = open("result", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < (corrected ? 10 : 1000); i++) {
		if (write(out, piece, sizeof piece) < 0)
			_exit(1);
		usleep(20000);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	pid_t parent = fork();
	if (parent == 0) {
		setpgid(0, 0);
		if (fork() == 0) {
			work(argc > 1);
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	usleep(2000000);
	if (argc == 1)
		kill(-parent, SIGKILL);
	waitpid(parent, NULL, 0);
	return 0;
}
