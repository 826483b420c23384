// finds: lost-time
// estimate: no call is saved, only waiting
// says: the run waited for that for
// Four times, a thread is started that takes 20 ms, and its end is looked for in memory. Between the looks the program sleeps for 300 ms. Corrected, it waits for
// the thread.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int done;

static void sleep_ms(long ms) {
	struct timespec time = {0, ms * 1000000};
	nanosleep(&time, NULL);
}

static void *work(void *arg) {
	sleep_ms(20);
	done = 1;
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 4; i++) {
		pthread_t thread;
		done = 0;
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
		while (argc == 1 && !done)
			sleep_ms(300);
		pthread_join(thread, NULL);
	}
	return 0;
}
