// finds: mkdir-again
// Makes all parent directories for each file.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *path) {
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 200; i++) {
		if (argc == 1 || i == 0) {
			make("a");
			make("a/b");
			make("a/b/c");
		}
		char name[64];
		snprintf(name, sizeof name, "a/b/c/%d", i);
		int fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0644);
		if (fd < 0)
			return 1;
		close(fd);
	}
	return 0;
}
