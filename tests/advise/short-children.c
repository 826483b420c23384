// finds: short-children
// estimate: what is saved is time, which the calls of the children are no measure of
// Runs a program for each item of a list, or once for all.
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int runs = argc > 1 ? 1 : 120;
	// With one argument only, true(1) looks whether it is --help, and loads what it would say that in.
	char *args[] = {"true", "an", "item", NULL};
	for (int i = 0; i < runs; i++) {
		// posix_spawn(3) asks for each of 64 signals first, and a child that makes 200 calls is no short one for a tracer that is slow.
		pid_t child = vfork();
		if (child == 0) {
			execv("/bin/true", args);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
