// finds: short-threads
// Makes and joins a thread for each task; corrected, one thread does all tasks.
#include <pthread.h>
#include <stddef.h>

#define TASKS 600

static long done;

static void *task(void *unused) {
	for (int i = 0; i < 100; i++)
		done += i;
	return unused;
}

static void *all(void *unused) {
	for (int i = 0; i < TASKS; i++)
		task(NULL);
	return unused;
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < (argc > 1 ? 1 : TASKS); i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, argc > 1 ? all : task, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return done == 0;
}
