// finds: tiny-writes
// Prints a report line by line to a file and to a pipe. A log of incoming data is written line by line on purpose.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[65536];

static void report(FILE *out, int corrected) {
	if (!corrected)
		setvbuf(out, NULL, _IONBF, 0);
	else
		setvbuf(out, NULL, _IOFBF, 65536);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "line %d of the report\n", i); // FROM report
	fclose(out);
}

static void serve(void) {
	int ends[2];
	int log = open("log", O_CREAT | O_WRONLY | O_APPEND, 0644);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 || log < 0)
		exit(1);
	for (int i = 0; i < 200; i++) {
		if (write(ends[0], "request", 7) != 7 || read(ends[1], buffer, 100) != 7)
			exit(1);
		dprintf(log, "request %d\n", i);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1, ends[2];
	report(fopen("report", "w"), corrected);
	if (pipe(ends) != 0)
		return 1;
	if (fork() == 0) {
		close(ends[1]);
		while (read(ends[0], buffer, sizeof buffer) > 0)
			usleep(1000);
		_exit(0);
	}
	close(ends[0]);
	report(fdopen(ends[1], "w"), corrected);
	wait(NULL);
	serve();
	return 0;
}
