// finds: ready-ignored
// says: in waits that ended at once: a descriptor could be written to, and the threads wrote nothing
// Waits at an epoll instance for answers and for room to write, with nothing to write. Corrected, it waits for answers.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTIONS 10

static void answer(int fd) {
	char question[4];
	for (int i = 0; i < QUESTIONS; i++) {
		if (read(fd, question, 4) != 4 || usleep(10000) || write(fd, "pong", 4) != 4)
			_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2], epoll = epoll_create1(0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	if (fork() == 0)
		answer(ends[1]);
	struct epoll_event event = {.events = argc > 1 ? EPOLLIN : EPOLLIN | EPOLLOUT};
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	if (write(ends[0], "ping", 4) != 4)
		return 1;
	for (int answers = 0; answers < QUESTIONS;) {
		char bytes[4];
		if (epoll_wait(epoll, &event, 1, -1) != 1) // FROM main
			return 1;
		if (!(event.events & EPOLLIN))
			continue;
		if (read(ends[0], bytes, 4) != 4 || (++answers < QUESTIONS && write(ends[0], "ping", 4) != 4))
			return 1;
	}
	wait(NULL);
	return 0;
}
