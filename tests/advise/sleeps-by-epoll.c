// finds: lost-time
// estimate: no call is saved, only waiting
// says: program slept
// Two threads hand pieces of work to each other through memory. Each looks for a piece, and sleeps in epoll_wait(2), as the runtimes of Go and Node.js do.
// Corrected, each wakes the other.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#define PIECES 40

static atomic_int turn;
static sem_t semaphores[2];
static int corrected, sum, timers;

static void *works(void *of) {
	int own = of != NULL;
	struct epoll_event event;
	for (int i = 0; i < PIECES; i++) {
		if (corrected)
			sem_wait(&semaphores[own]);
		while (!corrected && turn != own)
			epoll_wait(timers, &event, 1, 20); // FROM works
		sum += i;
		if (corrected)
			sem_post(&semaphores[!own]);
		turn = !own;
	}
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	timers = epoll_create1(0);
	sem_init(&semaphores[0], 0, 1);
	sem_init(&semaphores[1], 0, 0);
	pthread_t other;
	pthread_create(&other, NULL, works, &other);
	works(NULL);
	pthread_join(other, NULL);
	return sum != PIECES * (PIECES - 1);
}
