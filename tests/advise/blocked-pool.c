// finds: blocked-pool
// estimate: no call is saved, only waiting
// says: All 3 threads of a pool
// Three threads take work from a queue, as those of a runtime do: first they open FIFOs that nobody writes to for a while, and look at files after that. Corrected,
// the FIFOs do not wait.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define FILES 30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int taken, jobs, finished, loop, flags = O_RDONLY;

static void name(int job, char *path) {
	sprintf(path, job < THREADS ? "fifo-%d" : "file-%d", job);
}

static void work(int job) {
	char path[32];
	name(job, path);
	int fd = open(path, flags); // FROM work
	if (fd < 0)
		exit(1);
	close(fd);
}

static void *worker(void *arg) {
	(void)arg;
	pthread_mutex_lock(&lock);
	while (taken < THREADS + FILES) {
		if (taken == jobs) {
			pthread_cond_wait(&more, &lock);
			continue;
		}
		int job = taken++;
		pthread_mutex_unlock(&lock);
		work(job);
		unsigned long one = 1;
		if (write(loop, &one, sizeof one) != sizeof one)
			exit(1);
		pthread_mutex_lock(&lock);
	}
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void submit(int number) {
	pthread_mutex_lock(&lock);
	jobs += number;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv) {
	(void)argv;
	char path[32];
	for (int i = 0; i < THREADS + FILES; i++) {
		name(i, path);
		if (i < THREADS ? mkfifo(path, 0600) : close(creat(path, 0600)))
			exit(1);
	}
	if (argc > 1)
		flags |= O_NONBLOCK;
	loop = eventfd(0, 0);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	submit(THREADS);
	struct timespec probe = {0, 50 * 1000 * 1000};
	nanosleep(&probe, NULL);
	submit(FILES);
	// The plugins take their time.
	probe.tv_nsec = 350 * 1000 * 1000;
	nanosleep(&probe, NULL);
	for (int i = 0; i < THREADS; i++) {
		name(i, path);
		close(open(path, O_RDWR));
	}
	while (finished < THREADS + FILES) {
		unsigned long some;
		if (read(loop, &some, sizeof some) != sizeof some)
			exit(1);
		finished += some;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS + FILES; i++) {
		name(i, path);
		unlink(path);
	}
}
