// finds: slow-start
// estimate: what a start costs is time, not calls
// says: was run 9 times, and each run began with the same
// A parent that needs no modules runs itself for each item, and each of these runs reads the same modules at its start. Corrected, one run does all items.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MODULES = 12, ITEMS = 8 };

static void module(int i, int flags) {
	char name[32];
	snprintf(name, sizeof name, "module-%d", i);
	int fd = open(name, flags, 0644);
	if (fd < 0)
		exit(1);
	close(fd);
	// It is compiled.
	for (volatile unsigned step = 0; flags == O_RDONLY && step < 12000000; step++)
		;
}

static void modules(int flags) {
	for (int i = 0; i < MODULES; i++)
		module(i, flags);
}

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
