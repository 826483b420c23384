// finds: late-locks
// estimate: no call is saved for certain
// says: A thread of program got a lock
// says: only after the time of its wait had run out
// An interpreter's lock: a thread that computes gives the lock back only when another one has waited for 5 ms and asks. Corrected, the computing is done by a
// process. A client sends the requests, because sleeps of the program itself would be a finding wherever the computing ends before they do.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
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

/* Sends a request of a byte a millisecond after each answer. */
static void be_client(int fd) {
	char answer;
	for (int i = 0; i < ANSWERS; i++) {
		usleep(1000);
		if (write(fd, "?", 1) != 1 || read(fd, &answer, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv) {
	pthread_t worker;
	pid_t child = -1;
	int fds[2];
	char request;
	(void)argv;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		return 1;
	pid_t client = fork();
	if (client == 0)
		be_client(fds[1]);
	close(fds[1]);
	if (argc == 1) {
		pthread_create(&worker, NULL, work, NULL);
	} else if ((child = fork()) == 0) {
		unsigned x = 1;
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
		for (int i = 0; i < 800; i++)
			x = compute(x);
		_exit(x == 0);
	}
	while (read(fds[0], &request, 1) == 1) {
		take();
		give_back();
		if (write(fds[0], "!", 1) != 1)
			return 1;
	}
	over = 1;
	waitpid(client, NULL, 0);
	if (argc == 1)
		pthread_join(worker, NULL);
	else
		waitpid(child, NULL, 0);
	return 0;
}
