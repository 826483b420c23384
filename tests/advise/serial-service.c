// finds: serial-service
// estimate: no call is saved, only waiting
// says: at most 1 at a time
// says: most of all in clock_nanosleep
// says: were there before and waited for the server meanwhile
// Six clients ask a server at the same time, and its only thread waits 10 ms for each. Corrected, it has a thread for each client.
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 6
#define TIMES 15

static struct sockaddr_in to = {.sin_family = AF_INET};

static void look_up(void) {
	usleep(10000); // FROM look_up
}

static int answer(int client) {
	char request[16];
	if (read(client, request, sizeof request) <= 0)
		return 0;
	look_up();
	return write(client, "done", 4) == 4;
}

static void *serve_one(void *client) {
	while (answer((int)(long)client))
		;
	return NULL;
}

static void serve(int listener, int corrected) {
	struct pollfd clients[CLIENTS];
	pthread_t thread;
	for (int i = 0; i < CLIENTS; i++) {
		clients[i] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
		if (corrected)
			pthread_create(&thread, NULL, serve_one, (void *)(long)clients[i].fd);
	}
	while (corrected)
		pause();
	while (poll(clients, CLIENTS, -1) > 0)
		for (int i = 0; i < CLIENTS; i++)
			if (clients[i].revents && !answer(clients[i].fd))
				clients[i].fd = -1;
}

static void *ask(void *unused) {
	char got[16];
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (struct sockaddr *)&to, sizeof to))
		exit(1);
	for (int i = 0; i < TIMES; i++)
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
	pid_t server = fork();
	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener, argc > 1);
		return 0;
	}
	pthread_t asking[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&asking[i], NULL, ask, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(asking[i], NULL);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
