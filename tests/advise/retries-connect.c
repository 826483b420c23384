// finds: retries
// says: in a row
// Connects to a server that is not there, again and again; corrected, it waits twice as long after each failure.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof to;
	// A port that no server has: this socket has it, and does not listen.
	int reserved = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(reserved, (struct sockaddr *)&to, size) || getsockname(reserved, (struct sockaddr *)&to, &size))
		return 1;
	for (int i = 0; i < (argc > 1 ? 6 : 400); i++) {
		int s = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(s, (struct sockaddr *)&to, sizeof to) == 0)
			return 1;
		close(s);
		usleep(argc > 1 ? 2100 << i : 200);
	}
	return 0;
}
