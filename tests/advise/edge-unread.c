// finds: edge-unread
// estimate: few calls are saved, most of the change is waiting
// says: from socket pair
// says: and then waited with EPOLLET
// Each event leads to one read. What is left of a long message is read only when more comes. Corrected, reads go on until nothing is left.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES 40
#define LONG 1500

static char message[LONG], buffer[1000];

/* Sends messages, one of them a long one. It sends the next one when all of the one before was read, or after a while. */
static int client(int fd) {
	for (int i = 0; i < MESSAGES; i++) {
		int len = i == MESSAGES / 2 ? LONG : 100, left = len;
		if (write(fd, message, len) != len)
			return 1;
		for (int waited = 0; left > 0 && waited < 50; waited++) {
			int got;
			usleep(10000);
			if (read(fd, &got, sizeof got) == sizeof got)
				left -= got;
			if (read(fd, &got, sizeof got) == sizeof got)
				left -= got;
		}
	}
	return 0;
}

int main(int argc, char **argv) {
	int ends[2], all = 0;
	(void)argv;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		return 1;
	pid_t child = fork();
	if (child == 0)
		return client(ends[1]);
	int epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	while (all < 100 * (MESSAGES - 1) + LONG && epoll_wait(epoll, &event, 1, 5000) == 1) {
		int len;
		while ((len = read(ends[0], buffer, sizeof buffer)) > 0) { // FROM main
			all += len;
			if (write(ends[0], &len, sizeof len) != sizeof len || argc == 1)
				break;
		}
	}
	waitpid(child, NULL, 0);
	return 0;
}
