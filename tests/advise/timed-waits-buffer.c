// finds: timed-waits
// estimate: no call is saved, only waiting
// says: The thread had got bytes right before
// A client reads answers of two lines into a buffer, takes the first line, and waits for the second one, which it has already. Corrected, it looks into
// its buffer first.
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUESTIONS = 30, PATIENCE_MS = 40 };

static char buffer[256];
static int held;

static int has_line(void) {
	return memchr(buffer, '\n', held) != NULL;
}

static int next_line(int device, int corrected) {
	struct pollfd readable = {device, POLLIN, 0};
	if (!(corrected && has_line()) && poll(&readable, 1, PATIENCE_MS) > 0) { // FROM next_line
		ssize_t n = read(device, buffer + held, sizeof buffer - held);
		if (n <= 0)
			return 1;
		held += n;
	}
	char *end = memchr(buffer, '\n', held);
	if (end == NULL)
		return 1;
	held -= end + 1 - buffer;
	memmove(buffer, end + 1, held);
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	char question;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 77;
	pid_t device = fork();
	if (device == 0) {
		close(ends[0]);
		while (read(ends[1], &question, 1) == 1)
			if (write(ends[1], "state on\nload 3\n", 16) != 16)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < QUESTIONS; i++)
		if (write(ends[0], "?", 1) != 1 || next_line(ends[0], argc > 1) || next_line(ends[0], argc > 1))
			return 1;
	close(ends[0]);
	return waitpid(device, NULL, 0) != device;
}
