// finds: late-end
// estimate: no call is saved, only waiting
// only: ebpf
// says: At its end, the run waited for
// A thread in the background writes the state of the program every three seconds, and is joined at the end: the program waits until that thread has slept.
// Corrected, the thread is woken.
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 60 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int ends, corrected, state;

static void pause_between(void) {
	struct timespec pause = {3, 0};
	if (!corrected) {
		nanosleep(&pause, NULL); // FROM pause_between
		return;
	}
	pthread_mutex_lock(&lock);
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3;
	while (!ends && pthread_cond_timedwait(&woken, &lock, &until) == 0)
		;
	pthread_mutex_unlock(&lock);
}

static void *saves(void *none) {
	for (int last = 0; !last;) {
		pause_between();
		pthread_mutex_lock(&lock);
		last = ends;
		pthread_mutex_unlock(&lock);
		if (write(state, "saved\n", 6) != 6)
			_exit(77);
	}
	return none;
}

static void step(void) {
	char byte;
	int file = open("/proc/self/stat", O_RDONLY);
	if (file < 0 || read(file, &byte, 1) != 1)
		_exit(77);
	close(file);
	for (volatile long work = 0; work < 500000; work++)
		;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	state = open("state", O_CREAT | O_WRONLY | O_TRUNC, 0600);
	pthread_t thread;
	pthread_create(&thread, NULL, saves, NULL);
	for (int i = 0; i < STEPS; i++)
		step();
	pthread_mutex_lock(&lock);
	ends = 1;
	pthread_cond_signal(&woken);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return unlink("state");
}
