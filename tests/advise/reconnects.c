// finds: reconnects
// estimate: the server saves as much, which is another program
// Makes a new connection to a server for each page.
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGES 150

static void *serve(void *arg) {
	char request[8];
	for (int left = PAGES; left > 0;) {
		int fd = accept(*(int *)arg, NULL, NULL);
		while (left > 0 && recv(fd, request, sizeof request, MSG_WAITALL) == sizeof request) {
			if (send(fd, "the page", 8, 0) != 8)
				return NULL;
			left--;
		}
		close(fd);
	}
	return arg;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1, fd = -1;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) || getsockname(listener, (void *)&at, &len))
		return 1;
	pthread_t server;
	pthread_create(&server, NULL, serve, &listener);
	for (int i = 0; i < PAGES; i++) {
		char page[8];
		if (fd < 0) {
			fd = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(fd, (void *)&at, sizeof at))
				return 1;
		}
		if (send(fd, "get page", 8, 0) != 8 || recv(fd, page, sizeof page, MSG_WAITALL) != sizeof page)
			return 1;
		if (!corrected) {
			close(fd);
			fd = -1;
		}
	}
	pthread_join(server, NULL);
	return 0;
}
