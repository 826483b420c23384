// finds: edge-unread
// estimate: no call is saved, only waiting
// says: and then waited with EPOLLET, which does not tell of bytes that are left
// Each event brings 300 bytes, and the program reads 100 of them: the rest is found when a wait's time has run out. Corrected, it reads
// until nothing is left.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 10, SIZE = 300, PIECE = 100 };

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 77;
	if (fork() == 0) {
		char message[SIZE] = {0};
		for (int i = 0; i < MESSAGES; i++)
			if (write(ends[1], message, SIZE) != SIZE)
				return 1;
		return 0;
	}
	close(ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	int epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = ends[0]};
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	for (long all = 0; all < MESSAGES * SIZE;) {
		epoll_wait(epoll, &event, 1, 50);
		char piece[PIECE];
		ssize_t got;
		do {
			got = read(ends[0], piece, PIECE); // FROM main
			all += got > 0 ? got : 0;
		} while (got > 0 && argc > 1);
	}
	return wait(NULL) < 0;
}
