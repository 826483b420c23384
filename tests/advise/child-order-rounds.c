// finds: child-order
// estimate: no call is saved
// says: each round began only when all children of the one before had ended
// Starts three children at a time and waits for all of them. One of each three takes long. Corrected, the next child starts as soon as one has ended.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES 3
#define CHILDREN 12

static unsigned work(int rounds) {
	unsigned x = 1;
	for (int i = 0; i < rounds * 1000000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static void start(int number) {
	if (fork() == 0) { // FROM start
		exit(work(number % PLACES ? 40 : 250) == 0);
	}
}

int main(int argc, char **argv) {
	int started = 0, ended = 0;
	(void)argv;
	while (ended < CHILDREN) {
		while (started < CHILDREN && started < ended + PLACES)
			start(started++);
		do {
			if (wait(NULL) < 0)
				return 1;
			ended++;
		} while (argc == 1 && ended < started);
	}
	return 0;
}
