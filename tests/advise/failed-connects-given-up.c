// finds: failed-connects
// The first address of a server does not answer. After a while the client tries the second one.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listening(struct sockaddr_in *at, int backlog) {
	socklen_t len = sizeof *at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(fd, (void *)at, sizeof *at) || listen(fd, backlog) || getsockname(fd, (void *)at, &len))
		return -1;
	return fd;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct sockaddr_in good = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, bad;
	if (listening(&good, 8) < 0)
		return 1;
	// The queue of this address is full, so it does not answer any more.
	bad = good;
	bad.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	if (listening(&bad, 0) < 0)
		return 1;
	int full = 0;
	for (int i = 0; !full && i < 8; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(fd, (void *)&bad, sizeof bad) && errno != EINPROGRESS)
			return 1;
		struct pollfd wait = {fd, POLLOUT, 0};
		full = poll(&wait, 1, 50) == 0;
	}
	if (!full) {
		fprintf(stderr, "this kernel has queues that do not fill\n");
		return 77;
	}
	for (int i = 0; i < 3; i++) {
		int fd = -1;
		if (!corrected) {
			fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
			connect(fd, (void *)&bad, sizeof bad);
			struct pollfd wait = {fd, POLLOUT, 0};
			if (poll(&wait, 1, 200) != 0)
				return 1;
			close(fd);
		}
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (void *)&good, sizeof good))
			return 1;
		close(fd);
	}
	return 0;
}
