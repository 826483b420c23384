// finds:
// estimate: nothing is found
// Threads wait for work, for each other's results and for each other's end. None of that is a contended lock. A thread
// that watches the others waits for nothing.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4
#define ITEMS 200
#define TURNS 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items, closed;
static sem_t slots, turns[2];
static atomic_int over;
static struct pollfd service;

static void *work(void *arg) {
	for (;;) {
		pthread_mutex_lock(&lock);
		while (items == 0 && !closed)
			pthread_cond_wait(&more, &lock);
		if (items == 0) {
			pthread_mutex_unlock(&lock);
			return arg;
		}
		items--;
		pthread_mutex_unlock(&lock);
		poll(&service, 1, 1); // A service takes its time.
		sem_post(&slots);
	}
}

// Two threads take turns.
static void *turn(void *arg) {
	int me = arg != NULL;
	for (int i = 0; i < TURNS; i++) {
		sem_wait(&turns[me]);
		sem_post(&turns[!me]);
	}
	return arg;
}

static void *look_after(void *arg) {
	struct timespec while_ = {0, 1000 * 1000};
	while (!over)
		nanosleep(&while_, NULL);
	return arg;
}

int main(void) {
	pthread_t workers[WORKERS], player[2], monitor;
	int ends[2];
	if (pipe(ends))
		return 1;
	service = (struct pollfd){ends[0], POLLIN, 0};
	sem_init(&slots, 0, WORKERS);
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
	pthread_create(&monitor, NULL, look_after, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&player[i], NULL, turn, (void *)i);
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&slots);
		pthread_mutex_lock(&lock);
		items++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(player[i], NULL);
	over = 1;
	pthread_join(monitor, NULL);
	return 0;
}
