// finds: reconnects
// estimate: the server's threads are not counted
// says: 300 connections were made one after the other
// A client makes a connection for each of 300 requests to a server that has a thread for each connection. Corrected, all requests take
// one connection, and so one thread, and are sent at once.
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS 300

static int listener;

static void *answer(void *arg) {
	int fd = (int)(intptr_t)arg;
	static __thread char bytes[REQUESTS];
	for (ssize_t got; (got = read(fd, bytes, sizeof bytes)) > 0 && write(fd, bytes, got) == got;)
		;
	close(fd);
	return NULL;
}

static void *serve(void *arg) {
	for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, answer, (void *)(intptr_t)fd))
			_exit(1);
		pthread_detach(thread);
	}
	return arg;
}

static int reach(struct sockaddr_in *server) {
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)server, sizeof *server))
		_exit(1);
	return fd;
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in server = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof server;
	pthread_t thread;
	char byte = 'x';
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&server, size) || listen(listener, 16) || getsockname(listener, (struct sockaddr *)&server, &size))
		return 1;
	if (pthread_create(&thread, NULL, serve, NULL))
		return 1;
	if (argc > 1) {
		static char bytes[REQUESTS];
		int fd = reach(&server);
		if (write(fd, bytes, sizeof bytes) != sizeof bytes)
			return 1;
		return recv(fd, bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes;
	}
	for (int i = 0; i < REQUESTS; i++) {
		int fd = reach(&server);
		if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1)
			return 1;
		close(fd);
	}
	return 0;
}
