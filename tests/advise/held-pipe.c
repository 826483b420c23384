// finds: held-pipe
// estimate: no call is saved, only waiting
// says: waited 5 times for the end of a pipe after its child
// Each hook leaves a job in the background, which has the pipe of the hook. Corrected, the job closes the pipe.
#include <sys/wait.h>
#include <unistd.h>

enum { HOOKS = 5 };

// The hook: a program of its own, which ends at once.
static int hook(int corrected) {
	if (fork() == 0) {
		if (corrected) {
			close(1);
			close(2);
		}
		usleep(100000);
		_exit(0);
	}
	return write(1, "done\n", 5) != 5;
}

static void run(char *self, char *how) {
	int ends[2];
	char output[64];
	if (pipe(ends))
		_exit(77);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		execl(self, self, how, "hook", (char *)0);
		_exit(1);
	}
	close(ends[1]);
	while (read(ends[0], output, sizeof output) > 0) // FROM run
		;
	close(ends[0]);
	waitpid(child, 0, 0);
}

int main(int argc, char **argv) {
	if (argc > 2)
		return hook(argv[1][0] == 'c');
	for (int i = 0; i < HOOKS; i++)
		run("/proc/self/exe", argc > 1 ? "corrected" : "wasteful");
	return 0;
}
