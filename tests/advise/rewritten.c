// finds: rewritten
// says: was written as a whole 200 times
// Replaces its state with a new file after each change; corrected, after the last one. Each version is on the disk before
// it takes the place of the one before.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHANGES 200

static char state[8192];

int main(int argc, char **argv) {
	(void)argv;
	memset(state, 'x', sizeof state);
	for (int i = argc > 1 ? CHANGES - 1 : 0; i < CHANGES; i++) {
		// O_DSYNC: the data are safe when write(2) returns.
		int fd = open("state.new", O_CREAT | O_WRONLY | O_TRUNC | O_DSYNC, 0644);
		if (fd < 0 || write(fd, state, sizeof state) != sizeof state)
			return 1;
		close(fd);
		if (rename("state.new", "state") != 0)
			return 1;
	}
	return 0;
}
