// finds: lock-step
// estimate: time is saved, not calls
// says: 6 requests to 6 servers, such as UNIX
// says: were made one after another
// Makes a slow request to each of several servers, one after the other; corrected, all of them at the same time.
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVERS 6

static void serve(int listener) {
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		char c;
		int peer = accept(listener, NULL, NULL);
		if (read(peer, &c, 1) == 1) {
			usleep(120000);
			if (write(peer, &c, 1) != 1)
				_exit(1);
		}
		close(peer);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int sockets[SERVERS], failed = 0;
	char c;
	for (int i = 0; i < SERVERS; i++) {
		int listener = socket(AF_UNIX, SOCK_STREAM, 0);
		snprintf(to.sun_path, sizeof to.sun_path, "server-%d", i);
		if (bind(listener, (struct sockaddr *)&to, sizeof to) || listen(listener, 1))
			return 1;
		if (fork() == 0)
			serve(listener);
		close(listener);
	}
	for (int i = 0; i < SERVERS; i++) {
		sockets[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		snprintf(to.sun_path, sizeof to.sun_path, "server-%d", i);
		if (connect(sockets[i], (struct sockaddr *)&to, sizeof to) || send(sockets[i], "?", 1, 0) != 1)
			return 1;
		if (argc == 1)
			failed |= recv(sockets[i], &c, 1, 0) != 1;
	}
	for (int i = 0; i < SERVERS; i++) {
		if (argc > 1)
			failed |= recv(sockets[i], &c, 1, 0) != 1;
		close(sockets[i]);
	}
	return failed;
}
