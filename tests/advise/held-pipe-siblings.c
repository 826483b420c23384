// finds: held-pipe
// estimate: no call is saved, only waiting
// says: waited for the end of a pipe after its child
// never: uneven-workers
// A program starts a quick child and a slow one, each with a pipe, and closes its ends of the pipes when both run: the slow child has inherited the end
// of the quick child's pipe, which ends only with it. Corrected, each end is closed right after the fork.
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 2, SLOW_MS = 900 };

static int is_read(int from) {
	char report[64];
	int n = 0;
	while (read(from, report, sizeof report) > 0) // FROM is_read
		n++;
	return n > 0;
}

static void work(void) {
	for (volatile long i = 0; i < 100000000; i++)
		;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[CHILDREN][2];
	for (int i = 0; i < CHILDREN; i++) {
		if (pipe(ends[i]))
			return 77;
		if (fork() == 0) {
			if (i > 0)
				usleep(SLOW_MS * 1000);
			_exit(write(ends[i][1], "report\n", 7) != 7);
		}
		if (argc > 1)
			close(ends[i][1]);
	}
	for (int i = 0; i < CHILDREN && argc == 1; i++)
		close(ends[i][1]);
	int reports = is_read(ends[0][0]);
	work();
	reports += is_read(ends[1][0]);
	while (wait(NULL) > 0)
		;
	return reports != CHILDREN;
}
