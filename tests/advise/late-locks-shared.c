// finds: late-locks
// estimate: half of the time in which some thread waited
// says: shared a lock that each gave back only when asked for
// Six threads compute with one lock, as an interpreter's threads do: each gives the lock back when another one has waited for 5 ms. Corrected, one thread
// computes everything.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#define THREADS 6
#define SLICES 600

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released, switched = PTHREAD_COND_INITIALIZER;
static int held, asked;
static long turns;

static void take(void) {
	pthread_mutex_lock(&mutex);
	while (held) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += 5000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&released, &mutex, &until) && held) // FROM take
			asked = 1;
	}
	held = 1;
	asked = 0;
	turns++;
	pthread_cond_signal(&switched);
	pthread_mutex_unlock(&mutex);
}

/* `wait`: until another thread has the lock. */
static void give(int wait) {
	pthread_mutex_lock(&mutex);
	long mine = turns;
	held = 0;
	pthread_cond_signal(&released);
	while (wait && turns == mine)
		pthread_cond_wait(&switched, &mutex);
	pthread_mutex_unlock(&mutex);
}

/* Computes for about a millisecond. */
static void compute(void) {
	struct timespec from, now;
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 1000000);
}

static void *work(void *slices) {
	take();
	for (long i = 0; i < (long)slices; i++) {
		compute();
		if (asked) {
			give(1);
			take();
		}
	}
	give(0);
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	/* The test may run everything at a real-time priority, at which a thread that computes keeps others of the CPU out. */
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&released, &monotonic);
	long threads = argc > 1 ? 1 : THREADS;
	pthread_t ids[THREADS];
	for (long i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, (void *)(SLICES / threads)))
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
