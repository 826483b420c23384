// finds: unanswered
// estimate: no call is saved, only waiting
// says: 4 datagrams had no answer within
// Asks by UDP, and each fifth question has no answer. Corrected, all have one.
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTIONS 20

static void answer(int fd, int loses) {
	struct sockaddr_in who;
	for (int i = 0;; i++) {
		char question[8];
		socklen_t len = sizeof who;
		ssize_t got = recvfrom(fd, question, sizeof question, 0, (struct sockaddr *)&who, &len);
		if (!loses || i % 5 != 4)
			sendto(fd, question, got, 0, (struct sockaddr *)&who, len);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	int server = socket(AF_INET, SOCK_DGRAM, 0), client = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof self;
	if (bind(server, (struct sockaddr *)&self, len) || getsockname(server, (struct sockaddr *)&self, &len))
		return 1;
	pid_t child = fork();
	if (child == 0)
		answer(server, argc == 1);
	close(server);
	for (int answers = 0; answers < QUESTIONS;) {
		char bytes[8] = "question";
		struct pollfd set = {client, POLLIN, 0};
		sendto(client, bytes, sizeof bytes, 0, (struct sockaddr *)&self, len); // FROM main
		if (poll(&set, 1, 200) > 0 && recv(client, bytes, sizeof bytes, 0) > 0)
			answers++;
	}
	kill(child, SIGKILL);
	wait(NULL);
	return 0;
}
