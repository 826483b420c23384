// finds: close-storm
// Closes all possible descriptors before each child.
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		if (child == 0) {
			if (argc > 1)
				close_range(3, ~0U, 0);
			else
				for (int fd = 3; fd < 1024; fd++)
					close(fd); // FROM main
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
