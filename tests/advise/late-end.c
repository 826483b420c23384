// finds: late-end
// estimate: no call is saved, only waiting
// says: At its end, the run waited for
// never: timed-waits
// The thread of a pool waits for more work until its time to live is over, and the program ends only then. Corrected, the pool is shut down.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 60, ALIVE_S = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queued, done, is_shut;

static void task(int i) {
	char name[64];
	snprintf(name, sizeof name, "part-%d", i % 4);
	int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	if (file < 0 || write(file, name, sizeof name) < 0)
		_exit(77);
	close(file);
	for (volatile long work = 0; work < 1000000; work++)
		;
}

static int keep_alive(void) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ALIVE_S;
	return pthread_cond_timedwait(&more, &lock, &until); // FROM keep_alive
}

static void *worker(void *none) {
	pthread_mutex_lock(&lock);
	for (;;) {
		while (queued == done && !is_shut)
			if (keep_alive())
				break;
		if (queued == done)
			break;
		int i = done++;
		pthread_mutex_unlock(&lock);
		task(i);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return none;
}

int main(int argc, char **argv) {
	(void)argv;
	pthread_t thread;
	pthread_create(&thread, 0, worker, 0);
	for (int i = 0; i < TASKS; i++) {
		pthread_mutex_lock(&lock);
		queued++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	is_shut = argc > 1;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, 0);
	for (int i = 0; i < 4; i++) {
		char name[64];
		snprintf(name, sizeof name, "part-%d", i);
		unlink(name);
	}
	return 0;
}
