// finds: set-again
// says: was given the option that it had already
// says: 39,999 times, 
// Sets an option of a socket, and the flags of a pipe, before each message. Corrected, it sets them once. TCP_QUICKACK is set each time, as it must be.
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGES 40000

int main(int argc, char **argv) {
	(void)argv;
	char page[4096] = "";
	int pair[2], ends[2], one = 1, size = 100000;
	int client = socket(AF_INET, SOCK_STREAM, 0);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0 || pipe(ends) != 0)
		return 1;
	for (int i = 0; i < 400; i++)
		if (setsockopt(client, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one) != 0)
			return 1;
	for (int i = 0; i < MESSAGES; i++) {
		if ((argc == 1 || i == 0) && setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size) != 0) // FROM main
			return 1;
		if ((argc == 1 || i == 0) && fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
			return 1;
		if (send(pair[0], page, sizeof page, 0) != sizeof page || recv(pair[1], page, sizeof page, 0) != sizeof page)
			return 1;
	}
	return 0;
}
