// finds: children-in-turn
// estimate: no call is saved, only waiting
// says: programs such as
// says: each after the end of the one before
// Runs eight checks, each of which waits for an answer, one after another. Corrected, all run at the same time.
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define CHECKS 8

// The answer takes so long, whatever else the machine does.
static int check(void) {
	struct timespec answer = {0, 120 * 1000 * 1000};
	return nanosleep(&answer, NULL);
}

static pid_t run_check(char *program) {
	char *args[] = {program, "corrected", "check", NULL};
	pid_t child;
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ))
		exit(1);
	return child;
}

int main(int argc, char **argv) {
	if (argc > 2)
		return check();
	for (int i = 0; i < CHECKS; i++) {
		pid_t child = run_check(argv[0]);
		if (argc == 1)
			waitpid(child, NULL, 0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
