// finds: lock-step
// estimate: no call is saved, only waiting
// says: 60 requests were made, at most 2 at a time
// Two threads ask a server for 60 things that take 10 ms each. Corrected, twelve threads ask.
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS 60

static struct sockaddr_in to = {.sin_family = AF_INET};
static int threads = 2;

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
	for (int i = 0; i < REQUESTS / threads; i++)
		if (write(s, "get", 3) != 3 || read(s, got, sizeof got) != 4)
			exit(1);
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
	pthread_t asking[12];
	if (argc > 1)
		threads = 12;
	for (int i = 0; i < threads; i++)
		pthread_create(&asking[i], NULL, ask, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(asking[i], NULL);
	return 0;
}
