// finds: slow-start
// estimate: what a start costs is time, not calls
// says: was run 9 times, and each run began with the same
// The program runs itself for each item, and each run reads the same modules at its start. Corrected, one run does all items.
#include "slow-start.h"

static int item(int one) {
	modules(O_RDONLY);
	return one < 0;
}

int main(int argc, char **argv) {
	if (argc > 2)
		return item(atoi(argv[2]));
	modules(O_CREAT | O_WRONLY);
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
