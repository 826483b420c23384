// finds: facts
// says: had the same answer as before.
// For each line, asks for its id, its directory and whether its input is a terminal.
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	char cwd[4096];
	for (int i = 0; i < 200; i++) {
		if (argc > 1 && i > 0)
			continue;
		if (syscall(SYS_getpid) <= 0 || !getcwd(cwd, sizeof cwd))
			return 1;
		isatty(0);
	}
	// Each answer is a new one.
	for (int i = 0; i < 60; i++)
		if (chdir(i % 2 ? "/" : "/usr") != 0 || !getcwd(cwd, sizeof cwd))
			return 1;
	return 0;
}
