// finds: small-sends
// says: of 60 small sends (16 bytes on average) came right before or after another send
// A client sends a small head and a large body separately, and waits for the answer: the kernel holds the body back.
#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUESTS 60
#define HEAD 16
#define BODY 6000

static void *serve(void *arg) {
	int fd = accept(*(int *)arg, NULL, NULL);
	char request[HEAD + BODY];
	for (;;) {
		if (recv(fd, request, sizeof request, MSG_WAITALL) != sizeof request)
			return close(fd), arg;
		if (send(fd, "ok", 2, 0) != 2)
			return arg;
	}
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) || getsockname(listener, (void *)&at, &len))
		return 1;
	pthread_t server;
	pthread_create(&server, NULL, serve, &listener);
	if (connect(fd, (void *)&at, sizeof at))
		return 1;
	char head[HEAD] = "head", body[BODY] = "body", answer[2];
	for (int i = 0; i < REQUESTS; i++) {
		struct iovec parts[] = {{head, HEAD}, {body, BODY}};
		if (corrected ? writev(fd, parts, 2) != HEAD + BODY
			      : write(fd, head, HEAD) != HEAD || write(fd, body, BODY) != BODY)
			return 1;
		if (recv(fd, answer, 2, MSG_WAITALL) != 2)
			return 1;
	}
	close(fd);
	pthread_join(server, NULL);
	return 0;
}
