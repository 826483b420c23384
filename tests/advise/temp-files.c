// finds: temp-files
// says: made 300 files, such as
// Each piece of the work goes through a file of its own. Corrected, it stays in memory.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 300

static unsigned sum(const char *bytes, int len) {
	unsigned sum = 0;
	for (int i = 0; i < len; i++)
		sum = 31 * sum + bytes[i];
	return sum;
}

static unsigned through_a_file(char *bytes, int len) {
	char name[] = "piece-XXXXXX";
	int fd = mkstemp(name);
	if (fd < 0 || write(fd, bytes, len) != len)
		exit(1);
	close(fd);
	fd = open(name, O_RDONLY);
	if (read(fd, bytes, len) != len)
		exit(1);
	close(fd);
	unlink(name);
	return sum(bytes, len);
}

int main(int argc, char **argv) {
	unsigned all = 0;
	(void)argv;
	for (int i = 0; i < PIECES; i++) {
		char bytes[600];
		memset(bytes, 'a' + i % 26, sizeof bytes);
		all += argc > 1 ? sum(bytes, sizeof bytes) : through_a_file(bytes, sizeof bytes);
	}
	return all == 0;
}
