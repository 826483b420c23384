// finds: undone
// says: was given to epoll and taken out again 2,000 times
// says: Give the descriptor to epoll once
// Adds a socket to an epoll instance before each answer and takes it out again. Corrected, the socket stays there. Each of the other
// sockets is watched once, which is as it must be.
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWERS 2000

static int epoll;

static void watch(int operation, int socket) {
	struct epoll_event event = {.events = EPOLLIN, .data.fd = socket};
	if (epoll_ctl(epoll, operation, socket, &event) != 0) // FROM watch
		exit(1);
}

static void answer(int from, int to) {
	char byte = 0;
	struct epoll_event event;
	if (write(from, &byte, 1) != 1 || epoll_wait(epoll, &event, 1, -1) != 1 || read(to, &byte, 1) != 1)
		exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	int pair[2];
	epoll = epoll_create1(0);
	for (int i = 0; i < 20; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			return 1;
		watch(EPOLL_CTL_ADD, pair[1]);
		answer(pair[0], pair[1]);
		watch(EPOLL_CTL_DEL, pair[1]);
		close(pair[0]);
		close(pair[1]);
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	for (int i = 0; i < ANSWERS; i++) {
		if (argc == 1 || i == 0)
			watch(EPOLL_CTL_ADD, pair[1]);
		answer(pair[0], pair[1]);
		if (argc == 1 || i == ANSWERS - 1)
			watch(EPOLL_CTL_DEL, pair[1]);
	}
	return 0;
}
