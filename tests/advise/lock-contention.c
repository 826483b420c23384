// finds: lock-contention
// Threads ask a server, and hold the lock of their common table until the server has answered.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 80

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long answers;
static int corrected;

// The connection to the server.
static struct pollfd server;

// The server takes 2 ms.
static void ask(void) {
	poll(&server, 1, 2);
}

static void *count(void *arg) {
	for (int i = 0; i < ROUNDS; i++) {
		// Other work of the thread.
		ask();
		if (corrected)
			ask();
		pthread_mutex_lock(&lock);
		if (!corrected)
			ask();
		answers++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (pipe(ends))
		return 1;
	server = (struct pollfd){ends[0], POLLIN, 0};
	corrected = argc > 1;
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return answers == THREADS * ROUNDS ? 0 : 1;
}
