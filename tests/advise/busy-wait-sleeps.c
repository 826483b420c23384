// finds: busy-wait
// estimate: how often it looks depends on how exact the machine's clocks are
// Sleeps for a millisecond until a thread has done its job.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static void *job(void *arg) {
	struct timespec while_ = {1, 500 * 1000 * 1000};
	nanosleep(&while_, NULL);
	done = 1;
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	pthread_t thread;
	pthread_create(&thread, NULL, job, NULL);
	// The loop looks this often, however slow the machine is.
	for (int looks = 0; !corrected && (!done || looks < 300); looks++)
		usleep(1000);
	pthread_join(thread, NULL);
	return 0;
}
