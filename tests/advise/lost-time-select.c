// finds: lost-time
// estimate: no call is saved, only waiting
// says: slept
// Looks at a flag in memory that its child sets, with select(2) as a sleep in between. Corrected, a pipe says so.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS 12

int main(int argc, char **argv) {
	(void)argv;
	volatile int *step = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ready[2];
	if (pipe(ready))
		exit(1);
	if (fork() == 0) {
		for (int i = 0; i < STEPS; i++) {
			struct timespec work = {0, 70 * 1000 * 1000};
			nanosleep(&work, NULL);
			*step = i + 1;
			if (argc > 1 && write(ready[1], "", 1) != 1)
				exit(1);
		}
		exit(0);
	}
	for (int i = 0; i < STEPS; i++) {
		char byte;
		if (argc > 1 && read(ready[0], &byte, 1) != 1)
			exit(1);
		while (*step <= i) {
			struct timeval pause = {0, 50 * 1000};
			select(0, NULL, NULL, NULL, &pause); // FROM main
		}
	}
	wait(NULL);
}
