// finds: children-in-turn
// estimate: no call is saved, only waiting
// says: programs such as
// says: each after the end of the one before
// only: ebpf
// never: many short children
// Runs forty checks, each of which waits for an answer for a short time, one after another. Corrected, all run at the same time. (To start them is not what
// takes long.)
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define CHECKS 40

// No answer comes: the time runs out.
static int check(void) {
	int answer[2];
	if (pipe(answer))
		return 1;
	struct pollfd readable = {answer[0], POLLIN, 0};
	return poll(&readable, 1, 25);
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
