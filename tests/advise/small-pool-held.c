// finds: lock-step
// estimate: no call is saved, only waiting
// says: 60 requests were made, at most 2 at a time
// says: meanwhile, threads that made such requests waited
// Twelve threads share two connections to a database, and each of them keeps one while it asks a server for something that takes 10 ms. Corrected, a
// thread gives its connection back before it asks.
#include <arpa/inet.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS 60

static struct sockaddr_in to = {.sin_family = AF_INET};
enum { THREADS = 12 };

static sem_t connections;
static int corrected;

static void *answer(void *peer) {
	char request[16];
	while (read((int)(long)peer, request, sizeof request) > 0) {
		usleep(10000);
		if (write((int)(long)peer, "done", 4) != 4)
			break;
	}
	return NULL;
}

static void serve(int listener) {
	pthread_t thread;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pthread_create(&thread, NULL, answer, (void *)(long)accept(listener, NULL, NULL));
}

static void *ask(void *unused) {
	char got[16];
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (struct sockaddr *)&to, sizeof to))
		exit(1);
	for (int i = 0; i < REQUESTS / THREADS; i++) {
		sem_wait(&connections);
		if (corrected)
			sem_post(&connections);
		if (write(s, "get", 3) != 3 || read(s, got, sizeof got) != 4)
			exit(1);
		if (!corrected)
			sem_post(&connections);
	}
	close(s);
	return unused;
}

int main(int argc, char **argv) {
	(void)argv;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	socklen_t size = sizeof to;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&to, size) || listen(listener, 32) ||
	    getsockname(listener, (struct sockaddr *)&to, &size))
		return 1;
	if (fork() == 0)
		serve(listener);
	pthread_t asking[THREADS];
	corrected = argc > 1;
	sem_init(&connections, 0, 2);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&asking[i], NULL, ask, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(asking[i], NULL);
	return 0;
}
