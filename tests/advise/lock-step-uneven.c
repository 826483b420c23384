// finds: lock-step
// estimate: no call is saved, only waiting
// only: ebpf
// says: 150 of 200 requests were made on one of 5 connections, one at a time
// A program divides its requests among five threads by a key, and most of them have the same one. Each thread asks a service on a connection of its own. Corrected, the threads take
// the next request from one counter.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 5, REQUESTS = 200, ANSWER_US = 8000 };

static struct sockaddr_un at = {.sun_family = AF_UNIX};
static socklen_t len = sizeof at;
static atomic_int next, failed;
static int corrected;

static void *serve(void *arg) {
	int client = (int)(long)arg;
	char question;
	while (read(client, &question, 1) == 1) {
		usleep(ANSWER_US);
		if (write(client, "a", 1) != 1)
			break;
	}
	return NULL;
}

// Three of four have the same key. The others are those of three threads.
static int owner(int request) { return request % 4 ? 0 : 1 + request / 4 % 3; }

static void ask(int service) {
	char answer;
	if (write(service, "q", 1) != 1 || read(service, &answer, 1) != 1) // FROM ask
		failed = 1;
}

static void *work(void *arg) {
	int me = (int)(long)arg, service = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(service, (void *)&at, len))
		failed = 1;
	if (corrected)
		while (next++ < REQUESTS)
			ask(service);
	else
		for (int i = 0; i < REQUESTS; i++)
			if (owner(i) == me)
				ask(service);
	close(service);
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	// The kernel gives a name to a socket that is bound without one.
	if (bind(listener, (void *)&at, sizeof at.sun_family) || getsockname(listener, (void *)&at, &len) || listen(listener, THREADS))
		return 77;
	pthread_t threads[THREADS];
	pid_t service = fork();
	if (service == 0) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, serve, (void *)(long)accept(listener, NULL, NULL));
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return waitpid(service, NULL, 0) != service || failed;
}
