// finds: timed-waits
// estimate: no call is saved, only waiting
// only: ebpf
// says: still had its end for writing while it waited for what comes back
// A program gives texts to formatters and reads what comes back to its end, but it closes the pipe to the formatter only then. The formatter waits for more
// until its time runs out. Corrected, the program closes the pipe when it has written the text.
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXTS = 6, PATIENCE_MS = 120 };

static int format_text(void) {
	char text[256];
	int len = 0;
	for (;;) {
		struct pollfd more = {0, POLLIN, 0};
		if (poll(&more, 1, PATIENCE_MS) <= 0) // FROM format_text
			break;
		ssize_t n = read(0, text + len, sizeof text - len);
		if (n <= 0)
			break;
		len += n;
	}
	return write(1, text, len) != len;
}

static int formatted(const char *text, int corrected) {
	int to[2], back[2];
	char answer[256];
	int len = 0, status;
	if (pipe(to) || pipe(back))
		return 77;
	pid_t formatter = fork();
	if (formatter == 0) {
		dup2(to[0], 0);
		dup2(back[1], 1);
		close(to[0]), close(to[1]), close(back[0]), close(back[1]);
		_exit(format_text());
	}
	close(to[0]), close(back[1]);
	if (write(to[1], text, strlen(text)) != (ssize_t)strlen(text))
		return 1;
	if (corrected)
		close(to[1]);
	for (ssize_t n; (n = read(back[0], answer + len, sizeof answer - len)) > 0;)
		len += n;
	if (!corrected)
		close(to[1]);
	close(back[0]);
	return waitpid(formatter, &status, 0) != formatter || status || len != (int)strlen(text);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < TEXTS; i++)
		if (formatted("a text of several words", argc > 1))
			return 1;
	return 0;
}
