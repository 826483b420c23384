// finds: byte-reads
// says: A pipe was read one byte at a time: 1,999 reads for 1,999 bytes.
// says: pipe [3, 4] of process
// never: by_pages
// Two processes read from pipes, each from its own. One of them reads byte by byte, and the other one makes more calls and is well.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 2000, PAGES = 4000 };
static char buffer[65536];

__attribute__((noinline)) static void by_pages(int from) {
	while (read(from, buffer, 4096) > 0)
		continue;
}

__attribute__((noinline)) static void by_bytes(int from, int corrected) {
	for (;;) {
		if (read(from, buffer, corrected ? sizeof buffer : 1) <= 0) // FROM by_bytes
			return;
	}
}

static int filled(void) {
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	return ends[1] << 16 | ends[0];
}

int main(int argc, char **argv) {
	(void)argv;
	int one = filled();
	if (write(one >> 16, buffer, BYTES) != BYTES)
		return 1;
	close(one >> 16);
	int other = filled();
	if (fork() == 0) {
		close(other >> 16);
		by_pages(other & 0xffff);
		_exit(0);
	}
	close(other & 0xffff);
	for (int page = 0; page < PAGES; page++)
		if (write(other >> 16, buffer, 4096) != 4096)
			return 1;
	close(other >> 16);
	wait(NULL);
	by_bytes(one & 0xffff, argc > 1);
	return 0;
}
