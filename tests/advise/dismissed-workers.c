// finds:
// estimate: nothing is found
// only: ebpf
// A program starts three processes that serve one socket, asks once, computes for more than a second, and ends them. Two of them were never asked. That is no
// hang.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3 };

static void serve(int listener) {
	struct pollfd clients = {listener, POLLIN, 0};
	while (poll(&clients, 1, -1) == 1) {
		char request[64];
		int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
		if (client < 0)
			continue;
		struct pollfd asked = {client, POLLIN, 0};
		if (poll(&asked, 1, -1) != 1 || read(client, request, sizeof request) <= 0 || write(client, "ok", 2) != 2)
			_exit(1);
		close(client);
	}
}

static double now(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&at, &length))
		return 1;
	pid_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		if ((workers[i] = fork()) == 0)
			serve(listener);
	char answer[64];
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection, (struct sockaddr *)&at, length) || write(connection, "get", 3) != 3 ||
	    read(connection, answer, sizeof answer) != 2)
		return 1;
	for (double until = now() + 1.3; now() < until;)
		;
	for (int i = 0; i < WORKERS; i++)
		kill(workers[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	return 0;
}
