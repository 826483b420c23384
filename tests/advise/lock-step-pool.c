// finds: lock-step
// estimate: no call is saved, only waiting
// says: one after another by the thread pool-1
// says: the pool has one only
// A pool asks a slow server, on a new connection each time, and has one thread. Corrected, it has several.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, REQUESTS = 24 };

static struct sockaddr_in address;
static atomic_int left = REQUESTS;

static void *answer(void *arg) {
	int client = (int)(long)arg;
	char c;
	if (read(client, &c, 1) == 1) {
		struct timespec work = {0, 40 * 1000 * 1000};
		nanosleep(&work, NULL);
		if (write(client, &c, 1) != 1)
			exit(1);
	}
	close(client);
	return NULL;
}

static void serve(int listener) {
	for (int i = 0; i < REQUESTS; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, answer, (void *)(long)accept(listener, NULL, NULL));
		pthread_detach(thread);
	}
	pthread_exit(NULL);
}

static void ask(void) {
	char c = 'x';
	int server = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&address, sizeof address))
		exit(1);
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
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	if (fork() == 0)
		serve(listener);
	pthread_t pool[THREADS];
	for (int i = 0; i < threads; i++)
		pthread_create(&pool[i], NULL, work, (void *)(long)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(pool[i], NULL);
	int status;
	return wait(&status) < 0 || status;
}
