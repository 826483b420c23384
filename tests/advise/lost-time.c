// finds: lost-time
// estimate: no call is saved, only waiting
// says: slept
// says: and the run waited for that for
// A maker and a taker share a frame in memory, and each sleeps until the other has changed a flag. Corrected, each wakes the other.
// The sleeps are long, so that they stay most of the run on a machine that makes each call wait for a CPU.
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	volatile int full;
	sem_t filled, emptied;
	volatile char frame[4096];
};

static void pause_for_other(void) {
	usleep(20000); // FROM pause_for_other
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct shared *shared =
		mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(&shared->filled, 1, 0);
	sem_init(&shared->emptied, 1, 1);
	pid_t taker = fork();
	for (int i = 0; i < 40; i++) {
		if (corrected)
			sem_wait(taker ? &shared->emptied : &shared->filled);
		else
			while (shared->full != !taker)
				pause_for_other();
		for (unsigned at = 0; at < sizeof shared->frame; at++)
			shared->frame[at] = (char)(taker ? i : 0);
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
