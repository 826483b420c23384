// finds: lost-time
// estimate: no call is saved, only waiting
// says: the run waited for that for
// A program writes to a pipe faster than its child reads, because the child sleeps after each piece. So the writer waits for those sleeps. Corrected, the child does
// not sleep.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char piece[65536];

int main(int argc, char **argv) {
	(void)argv;
	int fds[2];
	if (pipe(fds))
		return 1;
	if (fork() == 0) {
		struct timespec pause = {0, 20000000};
		close(fds[1]);
		while (read(fds[0], piece, sizeof piece) > 0)
			if (argc == 1)
				nanosleep(&pause, NULL);
		_exit(0);
	}
	close(fds[0]);
	for (int i = 0; i < 40; i++)
		if (write(fds[1], piece, sizeof piece) != sizeof piece)
			return 1;
	close(fds[1]);
	return wait(NULL) < 0;
}
