// finds: reopened
// For each line, reads its configuration, lists a directory, opens the log, and asks for the number of processors.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES 200

static char buffer[8192];

static void configuration(const char *path) {
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		exit(1);
	while (read(fd, buffer, sizeof buffer) > 0)
		continue;
	close(fd);
}

static void list(void) {
	DIR *dir = opendir("spool");
	while (dir && readdir(dir))
		continue;
	closedir(dir);
}

static void note(int fd, int keep) {
	if (fd < 0 || write(fd, "a line\n", 7) != 7)
		exit(1);
	if (!keep)
		close(fd);
}

// The file changes, so reading it again is right.
static void counter(int i) {
	int fd = open("counter", O_CREAT | O_WRONLY | O_TRUNC, 0644);
	if (fd < 0 || dprintf(fd, "%d\n", i) < 0)
		exit(1);
	close(fd);
	configuration("counter");
}

int main(int argc, char **argv) {
	(void)argv;
	mkdir("spool", 0755);
	int fd = open("conf", O_CREAT | O_WRONLY, 0644);
	if (fd < 0 || write(fd, "answer = 42\n", 12) != 12)
		return 1;
	close(fd);
	int log = -1;
	for (int i = 0; i < LINES; i++) {
		if (argc == 1 || i == 0) {
			configuration("conf");
			list();
			configuration("/proc/cpuinfo");
		}
		int flags = O_CREAT | O_WRONLY | O_APPEND;
		if (argc == 1)
			note(open("log", flags, 0644), 0);
		else if (i % 50 == 0)
			note(log < 0 ? log = open("log", flags, 0644) : log, 1);
		if (i < 20)
			counter(i);
	}
	return 0;
}
