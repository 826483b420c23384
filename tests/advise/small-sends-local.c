// finds: small-sends
// estimate: a datagram that is not sent is not received either, which is not counted
// says: datagrams
// A program sends each sample to a collector of metrics as a datagram of its own, on a local socket. Corrected, it sends many samples in one.
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAMPLES = 4000, LARGEST = 1300 };

static char batch[LARGEST + 64];
static int held;

static int flush(int collector) {
	int sent = held == 0 || send(collector, batch, held, 0) == held; // FROM flush
	held = 0;
	return !sent;
}

static int sample(int collector, int value, int corrected) {
	held += sprintf(batch + held, "requests:%d|c\n", value);
	return corrected && held < LARGEST ? 0 : flush(collector);
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	char lines[4096];
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t len = sizeof at;
	for (int i = 0; i < 2; i++)
		ends[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
	// The kernel gives a name to a socket that is bound without one.
	if (bind(ends[1], (void *)&at, sizeof at.sun_family) || getsockname(ends[1], (void *)&at, &len) || connect(ends[0], (void *)&at, len))
		return 77;
	pid_t collector = fork();
	if (collector == 0) {
		close(ends[0]);
		while (recv(ends[1], lines, sizeof lines, 0) > 4)
			;
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < SAMPLES; i++)
		if (sample(ends[0], i, argc > 1))
			return 1;
	if (flush(ends[0]) || send(ends[0], "end", 3, 0) != 3)
		return 1;
	return waitpid(collector, NULL, 0) != collector;
}
