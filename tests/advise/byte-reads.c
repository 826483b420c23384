// finds: byte-reads
// Reads the lines of a pipe byte by byte. A single byte that wakes a thread is no waste.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[65536];

static void lines(int corrected) {
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	if (fork() == 0) {
		FILE *out = fdopen(ends[1], "w");
		for (int i = 0; i < 200; i++)
			fprintf(out, "line %d\n", i);
		fclose(out);
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], buffer, corrected ? sizeof buffer : 1) > 0)
		continue;
	close(ends[0]);
	wait(NULL);
}

static void tokens(void) {
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	for (int i = 0; i < 200; i++) {
		struct pollfd wait = {ends[0], POLLIN, 0};
		char token = '+';
		if (write(ends[1], &token, 1) != 1 || poll(&wait, 1, -1) != 1 || read(ends[0], &token, 1) != 1)
			exit(1);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	lines(argc > 1);
	tokens();
	return 0;
}
