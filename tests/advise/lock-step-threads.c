// finds: lock-step
// estimate: no call is saved, only waiting
// says: by 4 threads, of which only one at a time had a request under way
// Four threads ask a slow server, and each holds a lock while it waits for the answer. Corrected, the lock is held to store the answer.
#include "lock-step.h"

#define THREADS 4
#define REQUESTS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int corrected, stored;

static void ask(int server) {
	char c = 'x';
	if (write(server, &c, 1) != 1 || read(server, &c, 1) != 1) // FROM ask
		exit(1);
}

static void *client(void *arg) {
	int server = connect_to_server();
	for (int i = 0; i < REQUESTS; i++) {
		if (!corrected)
			pthread_mutex_lock(&lock);
		ask(server);
		if (corrected)
			pthread_mutex_lock(&lock);
		stored++;
		pthread_mutex_unlock(&lock);
		// Another thread gets the lock meanwhile.
		usleep(1000);
	}
	close(server);
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	pid_t server = start_server(THREADS);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, client, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	waitpid(server, NULL, 0);
	return stored != THREADS * REQUESTS;
}
