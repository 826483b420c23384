// finds: exec-search
// Starts children that search their program along a PATH of directories that do not have it.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	char *args[] = {"true", NULL};
	setenv("PATH", argc > 1 ? "/bin" : "/opt/a/bin:/opt/b/bin:/opt/c/bin:/opt/d/bin:/bin", 1);
	// More children would be a finding of their own.
	for (int i = 0; i < 28; i++) {
		pid_t child = fork();
		if (child == 0) {
			execvp("true", args);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
