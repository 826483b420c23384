// finds: timed-waits
// estimate: no call is saved, only waiting
// says: program waited in futex
// says: and nobody woke it
// An error path does not give the permit of a pool back, so nobody gets one any more, and each request waits until its time runs out. Corrected, each
// permit comes back.
#include <errno.h>
#include <semaphore.h>
#include <time.h>

static sem_t permits;

static int request(int i, int corrected) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 40000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (sem_timedwait(&permits, &until)) // FROM request
		return errno == ETIMEDOUT ? 0 : 1;
	if (i == 2 && !corrected)
		return 0;
	return sem_post(&permits);
}

int main(int argc, char **argv) {
	(void)argv;
	sem_init(&permits, 0, 1);
	for (int i = 0; i < 40; i++)
		if (request(i, argc > 1))
			return 1;
	return 0;
}
