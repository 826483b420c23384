// finds: failed-connects
// A server has two addresses and listens only on the second.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 100

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	// No server listens on 127.0.0.2.
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, bad;
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) || getsockname(listener, (void *)&at, &len))
		return 1;
	bad = at;
	bad.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	for (int i = 0; i < CLIENTS; i++) {
		int fd;
		if (!corrected) {
			fd = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(fd, (void *)&bad, sizeof bad) == 0)
				return 1;
			close(fd);
		}
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (void *)&at, sizeof at))
			return 1;
		close(accept(listener, NULL, NULL));
		close(fd);
	}
	return 0;
}
