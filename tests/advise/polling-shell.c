// finds: polling
// estimate: few calls are saved, most of the change is waiting
// says: looked for a file that was not there and slept
// Each of several children makes a file when it is ready, and others are looked for, too. Corrected, the children are waited for.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 6; i++) {
		// (A shell looks for its commands.)
		access("no-such-command", X_OK);
		pid_t child = fork();
		if (child == 0) {
			poll(NULL, 0, 150); // It works.
			int fd = open("ready", O_CREAT | O_WRONLY, 0600);
			return close(fd);
		}
		if (argc > 1)
			waitpid(child, NULL, 0);
		else
			while (access("ready", F_OK)) // FROM main
				usleep(100000);
		unlink("ready");
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
