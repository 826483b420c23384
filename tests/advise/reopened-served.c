// finds: reopened
// says: although it had not changed
// A server waits for requests and reads its configuration for each; corrected, only once.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUESTS 200

static char buffer[8192];

static void load(const char *path) {
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		exit(1);
	while (read(fd, buffer, sizeof buffer) > 0)
		continue;
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	int requests[2], answers[2];
	char c;
	if (pipe(requests) || pipe(answers))
		return 1;
	int fd = open("settings", O_CREAT | O_WRONLY, 0644);
	if (fd < 0 || write(fd, "answer = 42\n", 12) != 12)
		return 1;
	close(fd);
	if (fork() == 0) {
		close(requests[0]);
		for (int i = 0; i < REQUESTS; i++)
			if (write(requests[1], "?", 1) != 1 || read(answers[0], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(requests[1]);
	for (int i = 0; read(requests[0], &c, 1) == 1; i++) {
		if (argc == 1 || i == 0)
			load("settings");
		if (write(answers[1], "!", 1) != 1)
			return 1;
	}
	return 0;
}
