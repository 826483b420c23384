// finds: slow-start
// estimate: what a start costs is time, not calls
// says: was run 9 times, and each run began with the same
// The program runs itself for each item, and each run reads the same modules at its start. Corrected, one run does all items.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int item(int one) {
	for (int i = 0; i < MODULES; i++)
		module(i, O_RDONLY);
	return one < 0;
}

int main(int argc, char **argv) {
	if (argc > 2)
		return item(atoi(argv[2]));
	for (int i = 0; i < MODULES; i++)
		module(i, O_CREAT | O_WRONLY);
	for (int i = 0; i < (argc > 1 ? 1 : ITEMS); i++) {
		pid_t child = fork();
		if (child == 0) {
			char number[16];
			snprintf(number, sizeof number, "%d", i);
			execl(argv[0], argv[0], "item", number, NULL);
			_exit(1);
		}
		int status;
		waitpid(child, &status, 0);
		if (status)
			return 1;
	}
	return 0;
}
