// finds: sync-storm
// Opens its journal with O_DSYNC, and writes it line by line.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINES 500

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char lines[LINES * 64], *at = lines;
	int fd = open("journal", O_CREAT | O_WRONLY | O_TRUNC | O_DSYNC, 0644);
	if (fd < 0)
		return 1;
	for (int i = 0; i < LINES; i++) {
		memset(at, 'a' + i % 26, 63);
		at[63] = '\n';
		if (!corrected && write(fd, at, 64) != 64)
			return 1;
		at += 64;
	}
	if (corrected && write(fd, lines, sizeof lines) != sizeof lines)
		return 1;
	return close(fd);
}
