// finds: epoll-files
// Adds every file that it opens to epoll.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int epoll = epoll_create1(0);
	for (int i = 0; i < 500; i++) {
		char name[64];
		snprintf(name, sizeof name, "%d", i);
		int fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0644);
		struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
		if (fd < 0 || argc == 1 && (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 || errno != EPERM))
			return 1;
		close(fd);
	}
	return 0;
}
