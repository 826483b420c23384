// finds: busy-wait
// estimate: how often it looks depends on how fast the machine is
// Waits for another thread and for a pipe by looking again and again.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static int corrected, ends[2];
static atomic_int ready, looks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

// Works for a while, and until the other thread has looked this often, however slow the machine is.
static void work(int wanted) {
	struct timespec while_ = {0, 150 * 1000 * 1000};
	do
		nanosleep(&while_, NULL);
	while (!corrected && looks < wanted);
}

static void *produce(void *arg) {
	work(300);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	work(600);
	return write(ends[1], "x", 1) == 1 ? arg : NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	pthread_t producer;
	if (pipe(ends) != 0)
		return 1;
	pthread_create(&producer, NULL, produce, NULL);
	if (corrected) {
		pthread_mutex_lock(&lock);
		while (!ready)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	while (!ready) {
		sched_yield();
		looks++;
	}
	struct pollfd in = {ends[0], POLLIN, 0};
	while (poll(&in, 1, corrected ? -1 : 0) == 0)
		looks++;
	pthread_join(producer, NULL);
	return 0;
}
