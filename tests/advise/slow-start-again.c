// finds: slow-start
// estimate: what a start costs is time, not calls
// says: was run 9 times, and each run began with the same
// A parent that needs no modules runs itself for each item, and each of these runs reads the same modules at its start. Corrected, one run does all items.
#include "slow-start.h"

static int ends_well(pid_t child) {
	int status;
	return waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv) {
	if (argc > 2) {
		modules(O_RDONLY);
		return 0;
	}
	pid_t maker = fork();
	if (maker == 0) {
		modules(O_CREAT | O_WRONLY);
		return 0;
	}
	if (!ends_well(maker))
		return 1;
	for (int i = 0; i < (argc > 1 ? 1 : ITEMS); i++) {
		pid_t child = fork();
		if (child == 0) {
			execl(argv[0], argv[0], "one", "item", NULL);
			_exit(1);
		}
		if (!ends_well(child))
			return 1;
	}
	return 0;
}
