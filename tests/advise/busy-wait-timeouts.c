// finds: busy-wait
// estimate: how often it looks depends on how exact the machine's clocks are
// says: up to
// Looks each millisecond whether a child has written, by a timeout of select(2). Corrected, it waits until then.
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	int ends[2];
	char byte;
	if (pipe(ends))
		return 1;
	if (fork() == 0) {
		for (int i = 0; i < 3; i++) {
			usleep(400000);
			if (write(ends[1], "x", 1) != 1)
				return 1;
		}
		return 0;
	}
	for (int got = 0; got < 3;) {
		struct timeval millisecond = {0, 1000};
		fd_set readable;
		FD_ZERO(&readable);
		FD_SET(ends[0], &readable);
		if (select(ends[0] + 1, &readable, NULL, NULL, corrected ? NULL : &millisecond) > 0)
			got += read(ends[0], &byte, 1) == 1;
	}
	wait(NULL);
	return 0;
}
