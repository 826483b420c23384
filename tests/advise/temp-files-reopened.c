// finds: temp-files
// says: made 300 files, such as
// A library makes each file, so that nobody else has its name, and closes it; the program opens it anew to write. Corrected, the piece stays in memory.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 300

static void made(char *name) {
	int fd = mkstemp(name);
	if (fd < 0)
		exit(1);
	close(fd);
}

static unsigned through_a_file(char *bytes, int len) {
	char name[] = "piece-XXXXXX";
	made(name);
	int fd = open(name, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, bytes, len) != len)
		exit(1);
	close(fd);
	fd = open(name, O_RDONLY);
	if (read(fd, bytes, len) != len)
		exit(1);
	close(fd);
	unlink(name);
	return bytes[0];
}

int main(int argc, char **argv) {
	unsigned all = 0;
	(void)argv;
	for (int i = 0; i < PIECES; i++) {
		char bytes[600];
		memset(bytes, 'a' + i % 26, sizeof bytes);
		all += argc > 1 ? (unsigned)bytes[0] : through_a_file(bytes, sizeof bytes);
	}
	return all == 0;
}
