// finds: slow-connects
// says: the first packet had no answer and was sent again
// Clients connect to a server whose queue holds few of them, and wait until the kernel asks again. Corrected, the queue is long enough.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 8
#define CONNECTIONS 3

static void client(const struct sockaddr_in *server) {
	for (int i = 0; i < CONNECTIONS; i++) {
		char answer[2];
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (const struct sockaddr *)server, sizeof *server)) // FROM client
			_exit(1);
		if (write(fd, "hi", 2) != 2 || read(fd, answer, 2) != 2)
			_exit(1);
		close(fd);
	}
	_exit(0);
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof self;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&self, len) || listen(listener, argc > 1 ? 100 : 1) ||
	    getsockname(listener, (struct sockaddr *)&self, &len))
		return 1;
	for (int i = 0; i < CLIENTS; i++)
		if (fork() == 0)
			client(&self);
	/* All clients have asked for their first connection by then. */
	usleep(50000);
	for (int i = 0; i < CLIENTS * CONNECTIONS; i++) {
		char question[2];
		int fd = accept(listener, NULL, NULL);
		if (read(fd, question, 2) != 2)
			return 1;
		if (write(fd, "ok", 2) != 2)
			return 1;
		close(fd);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
