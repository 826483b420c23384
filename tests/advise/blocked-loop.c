// finds: blocked-loop
// estimate: no call is saved, only waiting
// says: outside the loop
// says: most of all in clock_nanosleep
// An event loop serves four clients, and sleeps for each answer. Corrected, it answers at once what a timer would bring.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 4
#define QUESTIONS 10

static void ask(int fd) {
	char answer;
	for (int i = 0; i < QUESTIONS; i++)
		if (write(fd, "?", 1) != 1 || read(fd, &answer, 1) != 1)
			_exit(1);
	_exit(0);
}

static void pause_for(long ms) {
	struct timespec time = {.tv_nsec = ms * 1000000};
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL); // FROM pause_for
}

int main(int argc, char **argv) {
	(void)argv;
	int epoll = epoll_create1(0);
	for (int i = 0; i < CLIENTS; i++) {
		int ends[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return 1;
		if (fork() == 0)
			ask(ends[1]);
		close(ends[1]);
		struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
		epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	}
	for (int clients = CLIENTS; clients > 0;) {
		char question;
		struct epoll_event event;
		if (epoll_wait(epoll, &event, 1, -1) != 1)
			return 1;
		if (read(event.data.fd, &question, 1) != 1) {
			// The children have this descriptor, too, so closing it would not take it out of the set.
			epoll_ctl(epoll, EPOLL_CTL_DEL, event.data.fd, NULL);
			close(event.data.fd);
			clients--;
			continue;
		}
		if (argc == 1)
			pause_for(5);
		if (write(event.data.fd, "!", 1) != 1)
			return 1;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
