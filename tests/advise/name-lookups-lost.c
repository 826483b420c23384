// finds: name-lookups
// estimate: what is saved is time
// The first of two name servers does not answer. After a while the program asks the second one.
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAMES 3

static int ask(struct sockaddr_in *server, int name) {
	char message[] = "\0\0\1\0\0\1\0\0\0\0\0\0\3www\7example\3org\0\0\1\0\1";
	message[14] = 'a' + name;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (connect(fd, (void *)server, sizeof *server) != 0)
		return -1;
	send(fd, message, sizeof message - 1, 0);
	return fd;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1, servers[2];
	struct sockaddr_in at[2];
	for (int i = 0; i < 2; i++) {
		at[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(53)};
		// No other process uses these addresses.
		at[i].sin_addr.s_addr = htonl(0x7f500000 + (getpid() % 0x100000) * 2 + i);
		servers[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (bind(servers[i], (void *)&at[i], sizeof at[i]) != 0) {
			perror("port 53 cannot be had");
			return 77;
		}
	}
	for (int i = 0; i < NAMES; i++) {
		char message[512];
		if (!corrected) {
			int fd = ask(&at[0], i);
			struct pollfd in = {fd, POLLIN, 0};
			if (poll(&in, 1, 200) != 0)
				return 1;
			close(fd);
		}
		int fd = ask(&at[1], i);
		struct sockaddr_in from;
		socklen_t len = sizeof from;
		ssize_t n = recvfrom(servers[1], message, sizeof message, 0, (void *)&from, &len);
		sendto(servers[1], message, n, 0, (void *)&from, len);
		if (recv(fd, message, sizeof message, 0) != n)
			return 1;
		close(fd);
	}
	return 0;
}
