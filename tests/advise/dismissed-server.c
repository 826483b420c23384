// finds:
// estimate: nothing is found
// A program starts a server, asks it, computes for more than a second, and ends the server, which waits for the next client then. That is no hang.
#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void serve(int listener) {
	for (;;) {
		char request[64];
		int client = accept(listener, NULL, NULL);
		while (read(client, request, sizeof request) > 0)
			if (write(client, "ok", 2) != 2)
				_exit(1);
	}
}

static void ask(int connection) {
	char answer[64];
	if (write(connection, "get", 3) != 3 || read(connection, answer, sizeof answer) <= 0)
		exit(1);
}

static double now(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&at, &length))
		return 1;
	// One waits for what its client sends, and one for its client.
	pid_t servers[2];
	for (int i = 0; i < 2; i++)
		if ((servers[i] = fork()) == 0)
			serve(listener);
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection, (struct sockaddr *)&at, length))
		return 1;
	for (int i = 0; i < 3; i++)
		ask(connection);
	for (double until = now() + 1.3; now() < until;)
		;
	for (int i = 0; i < 2; i++) {
		kill(servers[i], SIGKILL);
		waitpid(servers[i], NULL, 0);
	}
	return 0;
}
