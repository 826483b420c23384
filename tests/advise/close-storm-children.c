// finds: close-storm
// says: for descriptors that were not open
// Each child closes all descriptors that there could be before it runs a program. That the children live for so long is no finding of its own.
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	char *args[] = {"true", "an", "item", NULL};
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		if (child == 0) {
			if (argc > 1)
				close_range(3, ~0U, 0);
			else
				for (int fd = 3; fd < 3000; fd++)
					close(fd);
			execv("/bin/true", args);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
