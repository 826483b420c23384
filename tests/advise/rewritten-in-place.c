// finds: rewritten
// says: state was written as a whole 200 times, each time over the version before: 1.56 MiB in all
// Empties its file and writes all of its state after each change; corrected, after the last one. A scratch file that is removed each time is no version of the one before.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHANGES 200

static char state[8192];

static void put(const char *name, int flags) {
	int fd = open(name, O_CREAT | O_WRONLY | flags, 0644);
	if (flags == 0 && ftruncate(fd, 0))
		exit(1);
	if (fd < 0 || write(fd, state, sizeof state) != sizeof state)
		exit(1);
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	memset(state, 'x', sizeof state);
	for (int i = argc > 1 ? CHANGES - 1 : 0; i < CHANGES; i++)
		put("state", i % 2 ? O_TRUNC : 0);
	// Each of these is a file of its own.
	for (int i = 0; i < CHANGES; i++) {
		put("scratch", O_TRUNC);
		unlink("scratch");
	}
	return 0;
}
