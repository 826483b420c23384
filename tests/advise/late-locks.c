// finds: late-locks
// estimate: no call is saved for certain
// says: A thread of program got a lock
// says: only after the time of its wait had run out
// An interpreter's lock: a thread that computes gives the lock back only when another one has waited for 5 ms and asks. Corrected, the computing is done by a
// process.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWERS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_free = PTHREAD_COND_INITIALIZER;
static int is_taken;
static atomic_int is_asked_for, over;

static void take(void) {
	pthread_mutex_lock(&lock);
	while (is_taken) {
		struct timespec end;
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += 5000000;
		if (end.tv_nsec >= 1000000000) {
			end.tv_sec++;
			end.tv_nsec -= 1000000000;
		}
		if (pthread_cond_timedwait(&is_free, &lock, &end) == ETIMEDOUT) // FROM take
			is_asked_for = 1;
	}
	is_taken = 1;
	is_asked_for = 0;
	pthread_mutex_unlock(&lock);
}

static void give_back(void) {
	pthread_mutex_lock(&lock);
	is_taken = 0;
	pthread_cond_signal(&is_free);
	pthread_mutex_unlock(&lock);
}

static unsigned compute(unsigned x) {
	for (int i = 0; i < 100000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

static void *work(void *unused) {
	unsigned x = 1;
	/* The test may run everything at a real-time priority, at which a thread that computes keeps others of the CPU out. */
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
	while (!over) {
		take();
		while (!is_asked_for && !over)
			x = compute(x);
		give_back();
		usleep(200);
	}
	return x ? unused : NULL;
}

int main(int argc, char **argv) {
	pthread_t worker;
	pid_t child = -1;
	(void)argv;
	if (argc == 1) {
		pthread_create(&worker, NULL, work, NULL);
	} else if ((child = fork()) == 0) {
		unsigned x = 1;
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
		for (int i = 0; i < 800; i++)
			x = compute(x);
		_exit(x == 0);
	}
	for (int i = 0; i < ANSWERS; i++) {
		usleep(1000);
		take();
		give_back();
	}
	over = 1;
	if (argc == 1)
		pthread_join(worker, NULL);
	else
		waitpid(child, NULL, 0);
	return 0;
}
