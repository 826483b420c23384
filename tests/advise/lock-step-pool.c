// finds: lock-step
// estimate: no call is saved, only waiting
// says: one after another by the thread pool-1
// says: the pool has one only
// A pool asks a slow server, on a new connection each time, and has one thread. Corrected, it has several.
#define _GNU_SOURCE
#include "lock-step.h"
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 8, REQUESTS = 24 };

static atomic_int left = REQUESTS;

static void ask(void) {
	char c = 'x';
	int server = connect_to_server();
	if (write(server, &c, 1) != 1 || read(server, &c, 1) != 1) // FROM ask
		exit(1);
	close(server);
}

static void *work(void *number) {
	char name[16];
	snprintf(name, sizeof name, "pool-%d", (int)(long)number);
	pthread_setname_np(pthread_self(), name);
	while (atomic_fetch_sub(&left, 1) > 0)
		ask();
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	int threads = argc > 1 ? THREADS : 1;
	start_server(REQUESTS);
	pthread_t pool[THREADS];
	for (int i = 0; i < threads; i++)
		pthread_create(&pool[i], NULL, work, (void *)(long)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(pool[i], NULL);
	int status;
	return wait(&status) < 0 || status;
}
