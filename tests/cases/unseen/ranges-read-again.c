// case: an analysis reads the same index at the start of a file before each of its 500 steps
// first: index.dat
// first: again|same|twice|repeated
// useful: index.dat
// saves: calls
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INDEX 65536

static char index_[INDEX];

static int load(int fd) {
	for (int at = 0; at < INDEX; at += 4096)
		if (pread(fd, index_ + at, 4096, at) != 4096)
			return 1;
	return 0;
}

int main(int argc, char **argv) {
	int fd = open("index.dat", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int corrected = argc > 1 && strcmp(argv[1], "corrected") == 0;
	long sum = 0;
	memset(index_, 3, INDEX);
	if (write(fd, index_, INDEX) != INDEX)
		return 1;
	if (corrected && load(fd))
		return 1;
	for (int step = 0; step < 500; step++) {
		if (!corrected && load(fd))
			return 1;
		for (int i = 0; i < INDEX; i += 97)
			sum += index_[i] ^ step;
	}
	printf("%ld\n", sum);
	return 0;
}
