// finds: lost-time
// estimate: no call is saved, only waiting
// says: slept
// Two processes tell each other by a flag in shared memory, and make no other call than short sleeps. Corrected, each wakes the other.
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	volatile int full;
	sem_t filled, emptied;
};

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(&shared->filled, 1, 0);
	sem_init(&shared->emptied, 1, 1);
	pid_t taker = fork();
	for (int i = 0; i < 200; i++) {
		if (corrected)
			sem_wait(taker ? &shared->emptied : &shared->filled);
		else
			while (shared->full != !taker)
				usleep(5000);
		if (corrected)
			sem_post(taker ? &shared->filled : &shared->emptied);
		else
			shared->full = taker != 0;
	}
	if (taker == 0)
		return 0;
	waitpid(taker, NULL, 0);
	return 0;
}
