// finds: child-order
// estimate: no call is saved, only waiting
// says: for one child, while
// says: places for children stayed empty
// Runs three jobs at a time and waits for the oldest when all places are taken. Each sixth job takes long. Corrected, any job will do.
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACES 3
#define JOBS 24

static pid_t running[PLACES];
static int count;

static pid_t job(int nr) {
	pid_t child = fork();
	if (child)
		return child;
	struct timespec remote = {0, (nr % 6 ? 10 : 150) * 1000 * 1000};
	nanosleep(&remote, NULL);
	_exit(0);
}

// Makes a place free.
static void reap(int any) {
	pid_t ended = any ? wait(NULL) : waitpid(running[0], NULL, 0); // FROM reap
	int at = 0;
	while (running[at] != ended)
		at++;
	for (count--; at < count; at++)
		running[at] = running[at + 1];
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < JOBS; i++) {
		if (count == PLACES)
			reap(argc > 1);
		running[count++] = job(i);
	}
	while (count)
		reap(argc > 1);
}
