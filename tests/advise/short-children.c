// finds: short-children
// estimate: what is saved is time, which the calls of the children are no measure of
// Runs a program for each item of a list, or once for all.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
	(void)argv;
	int runs = argc > 1 ? 1 : 120;
	char *args[] = {"true", "item", NULL};
	for (int i = 0; i < runs; i++) {
		pid_t child;
		if (posix_spawn(&child, "/bin/true", NULL, NULL, args, environ) != 0)
			return 1;
		waitpid(child, NULL, 0);
	}
	return 0;
}
