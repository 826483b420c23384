// finds: small-buffers
// estimate: the transfers become fewer because each moves more
// says: was given a buffer of 4,096 bytes (SO_RCVBUF)
// A receiver of backups keeps the buffers of its connections small, and 24 MiB come. Corrected, the kernel chooses the size.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 65536, PIECES = 384 };

static char piece[PIECE];

static void small(int socket) {
	int size = 4096;
	setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size); // FROM small
}

int main(int argc, char **argv) {
	(void)argv;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (argc == 1)
		small(listener);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		return 77;
	if (fork() == 0) {
		int to = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(to, (struct sockaddr *)&address, length))
			return 1;
		for (int i = 0; i < PIECES; i++)
			if (write(to, piece, PIECE) != PIECE)
				return 1;
		return 0;
	}
	int from = accept(listener, 0, 0);
	long bytes = 0;
	for (ssize_t n; (n = read(from, piece, PIECE)) > 0;)
		bytes += n;
	wait(0);
	return bytes != (long)PIECE * PIECES;
}
