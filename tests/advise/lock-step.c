// finds: lock-step
// estimate: the server's calls are saved as well
// says: 400 requests were made one at a time, on one connection
// Asks a server for one value after the other and waits for each answer; corrected, for all values at once.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define VALUES 400

// A request is the number of values that are wanted; each value has eight bytes.
static void serve(int listener) {
	static char values[VALUES * 8];
	int wanted;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int peer = accept(listener, NULL, NULL);
	while (read(peer, &wanted, sizeof wanted) == sizeof wanted) {
		// The server computes for a while, without a call.
		struct timespec start, now;
		clock_gettime(CLOCK_MONOTONIC, &start);
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 200000);
		if (write(peer, values, wanted * 8) != wanted * 8)
			break;
	}
	_exit(0);
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof to;
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	if (bind(listener, (struct sockaddr *)&to, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&to, &size))
		return 1;
	if (fork() == 0)
		serve(listener);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(s, (struct sockaddr *)&to, sizeof to))
		return 1;
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	int each = argc > 1 ? VALUES : 1;
	char answer[VALUES * 8];
	for (int i = 0; i < VALUES; i += each) {
		if (send(s, &each, sizeof each, 0) != sizeof each)
			return 1;
		for (int got = 0; got < each * 8;) {
			ssize_t n = recv(s, answer, each * 8 - got, 0);
			if (n <= 0)
				return 1;
			got += n;
		}
	}
	return 0;
}
