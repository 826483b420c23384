// finds: lock-step
// estimate: no call is saved, only waiting
// only: ebpf
// says: each of which began when the last answer of the one before was there
// A program asks a service on six connections at a time, and begins the next six requests when all six are answered. One of six takes long. Corrected, it
// asks again on a connection as soon as its answer is there.
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLACES = 6, BATCHES = 14, REQUESTS = PLACES * BATCHES, SHORT_US = 8000, LONG_US = 90000 };

static void *serve(void *arg) {
	int client = (int)(long)arg;
	char question;
	while (read(client, &question, 1) == 1) {
		usleep(question == 'l' ? LONG_US : SHORT_US);
		if (write(client, "a", 1) != 1)
			break;
	}
	return NULL;
}

static struct pollfd places[PLACES];
static int asked, answered;

static int ask(int place) {
	char question = asked % PLACES == asked / PLACES % PLACES ? 'l' : 's';
	asked++;
	places[place].events = POLLIN;
	return write(places[place].fd, &question, 1) != 1;
}

static int take_answers(int corrected) {
	char answer;
	if (poll(places, PLACES, -1) <= 0)
		return 1;
	for (int i = 0; i < PLACES; i++) {
		if (!(places[i].revents & POLLIN))
			continue;
		if (read(places[i].fd, &answer, 1) != 1)
			return 1;
		answered++;
		places[i].events = 0;
		if (corrected && asked < REQUESTS && ask(i))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1, listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t len = sizeof at;
	// The kernel gives a name to a socket that is bound without one.
	if (bind(listener, (void *)&at, sizeof at.sun_family) || getsockname(listener, (void *)&at, &len) || listen(listener, PLACES))
		return 77;
	pid_t service = fork();
	if (service == 0) {
		pthread_t threads[PLACES];
		for (int i = 0; i < PLACES; i++)
			pthread_create(&threads[i], NULL, serve, (void *)(long)accept(listener, NULL, NULL));
		for (int i = 0; i < PLACES; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	for (int i = 0; i < PLACES; i++) {
		places[i].fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(places[i].fd, (void *)&at, len))
			return 1;
	}
	while (answered < REQUESTS) {
		if (answered == asked || (corrected && asked == 0))
			for (int i = 0; i < PLACES; i++)
				if (ask(i))
					return 1;
		if (take_answers(corrected))
			return 1;
	}
	for (int i = 0; i < PLACES; i++)
		close(places[i].fd);
	return waitpid(service, NULL, 0) != service;
}
