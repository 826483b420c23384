// finds: short-children
// estimate: what is saved is time, which the calls of the children are no measure of
// Runs a program for each item of a list; corrected, once for all items.
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int runs = argc > 1 ? 1 : 120;
	// With a single argument, true(1) checks for --help and loads the messages that it would show.
	char *args[] = {"true", "an", "item", NULL};
	for (int i = 0; i < runs; i++) {
		// posix_spawn(3) asks for each of 64 signals first. For a slow tracer, a child with 200 calls is no short child.
		pid_t child = vfork();
		if (child == 0) {
			execv("/bin/true", args);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
