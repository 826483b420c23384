// finds: ready-ignored
// says: in waits that ended at once: the other end of a descriptor is gone
// A client of an epoll instance has sent its last byte. The reads of the client's descriptor find the end again and again. Corrected, the descriptor is closed.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void watch(int epoll, int fd) {
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int main(int argc, char **argv) {
	(void)argv;
	int client[2], epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec end = {.it_value.tv_nsec = 100000000};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, client) || timerfd_settime(timer, 0, &end, NULL))
		return 1;
	watch(epoll, client[0]);
	watch(epoll, timer);
	shutdown(client[1], SHUT_WR);
	for (char byte;;) {
		struct epoll_event event;
		if (epoll_wait(epoll, &event, 1, -1) < 1 || event.data.fd == timer || read(client[0], &byte, 1)) // FROM main
			return 0;
		if (argc > 1)
			close(client[0]);
	}
}
