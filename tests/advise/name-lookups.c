// finds: name-lookups
// Looks up the same name for each request. The name server takes a while.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REQUESTS 20

static const char QUESTION[] = "\0\0\1\0\0\1\0\0\0\0\0\0\3www\7example\3org\0\0\1\0\1";

static void *serve(void *arg) {
	int fd = *(int *)arg;
	struct sockaddr_in from;
	socklen_t len = sizeof from;
	char message[512];
	for (ssize_t n; (n = recvfrom(fd, message, sizeof message, 0, (void *)&from, &len)) > 1;) {
		struct timespec while_ = {0, 20 * 1000 * 1000};
		nanosleep(&while_, NULL);
		message[2] |= 0x80;
		sendto(fd, message, n, 0, (void *)&from, len);
	}
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(53)};
	// No other process uses this address.
	at.sin_addr.s_addr = htonl(0x7f400000 + getpid() % 0x100000);
	int server = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(server, (void *)&at, sizeof at) != 0) {
		perror("port 53 cannot be had");
		return 77;
	}
	pthread_t thread;
	pthread_create(&thread, NULL, serve, &server);
	for (int i = 0; i < REQUESTS; i++) {
		char message[512];
		if (corrected && i > 0)
			continue;
		int fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (connect(fd, (void *)&at, sizeof at))
			return 1;
		memcpy(message, QUESTION, sizeof QUESTION - 1);
		message[0] = i;
		send(fd, message, sizeof QUESTION - 1, 0);
		if (recv(fd, message, sizeof message, 0) != sizeof QUESTION - 1)
			return 1;
		close(fd);
	}
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	sendto(fd, "x", 1, 0, (void *)&at, sizeof at);
	pthread_join(thread, NULL);
	return 0;
}
