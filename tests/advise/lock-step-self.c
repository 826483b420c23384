// finds: lock-step reconnects
// estimate: no call is saved, only waiting
// never: waited for the server meanwhile
// One thread is client and server: it asks its own service for one thing after another, and each answer takes 10 ms.
// Corrected, it asks for all at the same time.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS = 60 };

static int listener;
static struct sockaddr_in address = {.sin_family = AF_INET};
static socklen_t length = sizeof address;

static int asks(void) {
	int to = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(to, (struct sockaddr *)&address, length) || write(to, "name\n", 5) != 5)
		_exit(1);
	return to;
}

static int takes(void) {
	char question[8];
	int from = accept(listener, 0, 0);
	if (read(from, question, 5) != 5)
		_exit(1);
	return from;
}

static void answers(int from) {
	if (write(from, "headline\n", 9) != 9)
		_exit(1);
	close(from);
}

static void learns(int to) {
	char answer[16];
	if (read(to, answer, 9) != 9)
		_exit(1);
	close(to);
}

int main(int argc, char **argv) {
	(void)argv;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, REQUESTS) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		return 77;
	int at_once = argc > 1 ? REQUESTS : 1, to[REQUESTS], from[REQUESTS];
	for (int done = 0; done < REQUESTS; done += at_once) {
		for (int i = 0; i < at_once; i++)
			to[i] = asks();
		for (int i = 0; i < at_once; i++)
			from[i] = takes();
		poll(0, 0, 10);
		for (int i = 0; i < at_once; i++)
			answers(from[i]);
		for (int i = 0; i < at_once; i++)
			learns(to[i]);
	}
	return 0;
}
