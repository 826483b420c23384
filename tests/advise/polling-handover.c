// finds: polling
// estimate: no call is saved, only waiting
// says: looked for a file that was not there and slept
// Takes files from another process in turn, and looks for each with poll(2) as a sleep in between, as a runtime does that has a descriptor to be woken by. Corrected, the
// other process says so through a pipe.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES 6

int main(int argc, char **argv) {
	(void)argv;
	char path[32];
	int waker[2], ready[2];
	if (pipe(waker) || pipe(ready))
		exit(1);
	if (fork() == 0) {
		for (int i = 0; i < FILES; i++) {
			struct timespec work = {0, 100 * 1000 * 1000};
			nanosleep(&work, NULL);
			sprintf(path, "package-%d", i);
			close(creat(path, 0600));
			if (write(ready[1], "", 1) != 1)
				exit(1);
		}
		exit(0);
	}
	for (int i = 0; i < FILES; i++) {
		struct stat info;
		char byte;
		sprintf(path, "package-%d", i);
		if (argc > 1 && read(ready[0], &byte, 1) != 1)
			exit(1);
		while (stat(path, &info)) { // FROM main
			struct pollfd wake = {waker[0], POLLIN, 0};
			poll(&wake, 1, 70);
		}
		unlink(path);
	}
	wait(NULL);
}
