// finds: timed-waits
// estimate: no call is saved, only waiting
// says: 8 times until the time ran out
// A client announces its body and waits for the server's consent, which this server never gives. Corrected, it sends the body at once.
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

enum { UPLOADS = 8 };

static int consents(int server) {
	fd_set set;
	struct timeval patience = {0, 60000};
	FD_ZERO(&set);
	FD_SET(server, &set);
	return select(server + 1, &set, 0, 0, &patience); // FROM consents
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	char answer[8], part[16];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 77;
	if (fork() == 0) {
		close(ends[1]);
		for (int got = 0, n; (n = read(ends[0], part, sizeof part)) > 0;)
			for (got += n; got >= 12; got -= 12)
				if (write(ends[0], "stored\n", 7) != 7)
					return 1;
		return 0;
	}
	close(ends[0]);
	for (int i = 0; i < UPLOADS; i++) {
		if (write(ends[1], "head\n\n", 6) != 6)
			return 1;
		if (argc == 1)
			consents(ends[1]);
		if (write(ends[1], "body\n\n", 6) != 6 || read(ends[1], answer, 7) != 7)
			return 1;
	}
	return 0;
}
