// finds: kept-open
// estimate: no call is saved, only waiting
// says: the end of a connection was waited for 12 times
// never: timed-waits
// never: lock-step
// A client reads each answer to the end of its connection, and the server keeps the connection for further requests. Corrected, the client asks it
// to close.
#include <arpa/inet.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 12, KEPT_MS = 90 };

static int serve(int listener) {
	char request[64];
	for (int i = 0; i < REQUESTS; i++) {
		int connection = accept(listener, 0, 0);
		ssize_t size;
		while ((size = read(connection, request, sizeof request - 1)) > 0) {
			request[size] = 0;
			if (write(connection, "an answer\n", 10) != 10)
				return 1;
			struct pollfd next = {connection, POLLIN, 0};
			if (strstr(request, "close") || poll(&next, 1, KEPT_MS) == 0)
				break;
		}
		close(connection);
	}
	return 0;
}

static int fetch(struct sockaddr_in *address, const char *request) {
	char answer[64];
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(connection, (struct sockaddr *)address, sizeof *address))
		return 1;
	if (write(connection, request, strlen(request)) < 0)
		return 1;
	while (read(connection, answer, sizeof answer) > 0) // FROM fetch
		;
	return close(connection);
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 8))
		return 77;
	getsockname(listener, (struct sockaddr *)&address, &length);
	pid_t server = fork();
	if (server == 0)
		_exit(serve(listener));
	for (int i = 0; i < REQUESTS; i++)
		if (fetch(&address, argc > 1 ? "get, and close\n" : "get\n"))
			return 1;
	return waitpid(server, 0, 0) != server;
}
