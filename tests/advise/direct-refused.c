// finds: direct-refused
// says: is open with O_DIRECT, and 601 transfers of it, of 4,196 bytes each, failed with EINVAL; 600 others were done
// Writes records with O_DIRECT that fill no whole blocks. Each is refused, and written again without O_DIRECT. Corrected, a
// record fills whole blocks.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 8192

int main(int argc, char **argv) {
	int corrected = argc > 1 && strcmp(argv[1], "corrected") == 0;
	size_t size = corrected ? BLOCKS : 4196;
	char *buffer;
	int fd = open("records", O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	if (fd < 0 || posix_memalign((void **)&buffer, BLOCKS, BLOCKS)) {
		fprintf(stderr, "no O_DIRECT here\n");
		return 77;
	}
	memset(buffer, 'r', BLOCKS);
	if (pwrite(fd, buffer, BLOCKS, 0) != BLOCKS || (pwrite(fd, buffer, 4196, 0) != -1 && !corrected)) {
		fprintf(stderr, "O_DIRECT has no conditions here\n");
		return 77;
	}
	for (int i = 0; i < 600; i++) {
		off_t at = BLOCKS + (off_t)i * size;
		if (pwrite(fd, buffer, size, at) == (ssize_t)size)
			continue;
		if (errno != EINVAL)
			return 1;
		if (fcntl(fd, F_SETFL, 0) || pwrite(fd, buffer, size, at) != (ssize_t)size || fcntl(fd, F_SETFL, O_DIRECT))
			return 1;
	}
	return 0;
}
