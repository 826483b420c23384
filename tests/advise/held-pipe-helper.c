// finds: held-pipe
// estimate: no call is saved, only waiting
// says: another process had the other end of the pipe, and wrote nothing
// Reads what collectors write, each through a pipe of its own. A helper for each is forked after the pipe was made, and keeps the end that is for writing. Corrected, the
// helper closes it.
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SITES 5

static void collect(int corrected) {
	char text[64];
	int ends[2];
	if (pipe(ends))
		exit(1);
	pid_t collector = fork();
	if (collector == 0)
		_exit(write(ends[1], "all is well\n", 12) != 12);
	pid_t helper = fork();
	if (helper == 0) {
		struct timespec lease = {0, 150 * 1000 * 1000};
		close(ends[0]);
		if (corrected)
			close(ends[1]);
		nanosleep(&lease, NULL);
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], text, sizeof text) > 0) // FROM collect
		;
	close(ends[0]);
	waitpid(collector, NULL, 0);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < SITES; i++)
		collect(argc > 1);
	while (wait(NULL) > 0)
		;
}
