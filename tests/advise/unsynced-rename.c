// finds: unsynced-rename
// estimate: it needs more calls to be safe
// Keeps its state in a file that it replaces with a new one each time.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERSIONS 30

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char here[4096];
	if (!getcwd(here, sizeof here) || strncmp(here, "/tmp/", 5) == 0) {
		fprintf(stderr, "nothing outlives a restart in /tmp\n");
		return 77;
	}
	for (int i = 0; i < VERSIONS; i++) {
		char state[64];
		snprintf(state, sizeof state, "{\"version\": %d}\n", i);
		int fd = open("state.json.new", O_CREAT | O_WRONLY | O_TRUNC, 0644);
		if (fd < 0 || write(fd, state, strlen(state)) < 0)
			return 1;
		if (corrected && fsync(fd) != 0)
			return 1;
		close(fd);
		if (rename("state.json.new", "state.json") != 0)
			return 1;
	}
	return 0;
}
