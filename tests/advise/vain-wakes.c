// finds: vain-wakes
// estimate: no call is saved for certain
// says: threads of program were woken
// says: they did nothing but wait again
// Each piece of work wakes all threads that wait for one. Corrected, it wakes one of them.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6
#define PIECES 2000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int pieces, over;
static atomic_int done;

// The client and the service that the program waits for.
static struct pollfd other;

static void wait_for_other(long us) {
	struct timespec time = {0, us * 1000};
	ppoll(&other, 1, &time, NULL);
}

static void *work(void *unused) {
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!pieces && !over)
			pthread_cond_wait(&some, &lock);
		if (!pieces) {
			pthread_mutex_unlock(&lock);
			return unused;
		}
		pieces--;
		pthread_mutex_unlock(&lock);
		wait_for_other(100);
		done++;
	}
}

int main(int argc, char **argv) {
	pthread_t threads[THREADS];
	int ends[2];
	(void)argv;
	if (pipe(ends))
		return 1;
	other = (struct pollfd){ends[0], POLLIN, 0};
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < PIECES; i++) {
		pthread_mutex_lock(&lock);
		pieces++;
		if (argc > 1)
			pthread_cond_signal(&some);
		else
			pthread_cond_broadcast(&some);
		pthread_mutex_unlock(&lock);
		wait_for_other(500);
	}
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&some);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return done != PIECES;
}
