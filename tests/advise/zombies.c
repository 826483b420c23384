// finds: zombies
// estimate: process ids are saved, not calls
// A server forks for each request and never waits for its children.
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	for (int request = 0; request < 20; request++) {
		int done[2];
		char end;
		if (pipe(done) != 0)
			return 1;
		if (fork() == 0) {
			close(done[0]);
			_exit(0);
		}
		close(done[1]);
		// The read ends when the child is gone.
		if (read(done[0], &end, 1) != 0)
			return 1;
		close(done[0]);
		if (argc > 1)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
	usleep(100000);
	return 0;
}
