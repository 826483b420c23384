// finds: wide-polls
// only: ebpf
// estimate: no call is saved, only the looking
// says: waits looked at 900 descriptors each
// A server waits for 900 connections with poll(2), of which 7 are busy. Corrected, epoll(7) tells it which they are.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 900, BUSY = 7, REQUESTS = 8000 };

static struct pollfd polled[CONNECTIONS];

static void answer(int connection) {
	char byte;
	if (read(connection, &byte, 1) != 1 || write(connection, &byte, 1) != 1)
		_exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	struct rlimit limit = {4096, 4096};
	setrlimit(RLIMIT_NOFILE, &limit);
	int clients[CONNECTIONS], epoll = epoll_create1(0);
	for (int i = 0; i < CONNECTIONS; i++) {
		int ends[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return 77;
		polled[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
		clients[i] = ends[1];
		struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
		epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	}
	if (fork() == 0) {
		char byte = 'x';
		for (int i = 0; i < REQUESTS; i++)
			if (write(clients[i % BUSY], &byte, 1) != 1 || read(clients[i % BUSY], &byte, 1) != 1)
				return 1;
		return 0;
	}
	for (int done = 0; done < REQUESTS;) {
		if (argc > 1) {
			struct epoll_event event;
			for (int n = epoll_wait(epoll, &event, 1, -1); n > 0; n--, done++)
				answer(event.data.fd);
			continue;
		}
		poll(polled, CONNECTIONS, -1); // FROM main
		for (int i = 0; i < CONNECTIONS; i++)
			if (polled[i].revents & POLLIN) {
				answer(polled[i].fd);
				done++;
			}
	}
	return 0;
}
