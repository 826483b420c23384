// finds: lock-step
// estimate: time is saved, not calls
// says: 8 requests were made one after another, on 8 connections
// Makes slow requests, each on a connection of its own, one after the other; corrected, all of them at the same time.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUESTS 8

static void serve(int listener) {
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int peer = accept(listener, NULL, NULL);
		if (fork() == 0) {
			char c;
			if (read(peer, &c, 1) == 1) {
				usleep(100000);
				if (write(peer, &c, 1) != 1)
					_exit(1);
			}
			_exit(0);
		}
		close(peer);
	}
}

static int request(const struct sockaddr_in *to) {
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (const struct sockaddr *)to, sizeof *to) || send(s, "?", 1, 0) != 1)
		_exit(1);
	return s;
}

static void answer(int s) {
	char c;
	if (recv(s, &c, 1, 0) != 1)
		_exit(1);
	close(s);
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof to;
	int listener = socket(AF_INET, SOCK_STREAM, 0), sockets[REQUESTS];
	if (bind(listener, (struct sockaddr *)&to, size) || listen(listener, REQUESTS) ||
	    getsockname(listener, (struct sockaddr *)&to, &size))
		return 1;
	pid_t server = fork();
	if (server == 0)
		serve(listener);
	for (int i = 0; i < REQUESTS; i++) {
		sockets[i] = request(&to);
		if (argc == 1)
			answer(sockets[i]);
	}
	for (int i = 0; i < REQUESTS && argc > 1; i++)
		answer(sockets[i]);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
