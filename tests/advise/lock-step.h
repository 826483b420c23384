// A server that takes 40 ms for each answer, with a thread for each connection.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_in address;

static void *answer(void *arg) {
	int client = (int)(long)arg;
	char c;
	while (read(client, &c, 1) == 1) {
		struct timespec work = {0, 40 * 1000 * 1000};
		nanosleep(&work, NULL);
		if (write(client, &c, 1) != 1)
			break;
	}
	close(client);
	return NULL;
}

static void serve(int listener, int connections) {
	for (int i = 0; i < connections; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, answer, (void *)(long)accept(listener, NULL, NULL));
		pthread_detach(thread);
	}
	pthread_exit(NULL);
}

// Starts the server in a process of its own, which ends after so many connections.
static pid_t start_server(int connections) {
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, size) || getsockname(listener, (struct sockaddr *)&address, &size) ||
	    listen(listener, connections))
		exit(1);
	pid_t server = fork();
	if (server == 0)
		serve(listener, connections);
	return server;
}

static int connect_to_server(void) {
	int server = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(server, (struct sockaddr *)&address, sizeof address))
		exit(1);
	return server;
}
