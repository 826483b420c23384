// finds:
// estimate: nothing is found
// Each small piece of work wakes one of many threads. It finds the lock taken at first, but it has something to do.
#include <pthread.h>
#include <unistd.h>

#define THREADS 16
#define PIECES 2500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int pieces, over, done;

static void *work(void *unused) {
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!pieces && !over)
			pthread_cond_wait(&some, &lock);
		if (!pieces)
			break;
		pieces--;
		pthread_mutex_unlock(&lock);
		for (volatile int step = 0; step < 3000; step++)
			;
		pthread_mutex_lock(&lock);
		done++;
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void) {
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < PIECES; i++) {
		usleep(200);
		pthread_mutex_lock(&lock);
		pieces++;
		pthread_cond_signal(&some);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	over = 1;
	pthread_cond_broadcast(&some);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return done != PIECES;
}
