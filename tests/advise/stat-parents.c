// finds: stat-storm
// Checks all parent directories before each file.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRS 20
#define FILES 40

static int check_parents(const char *path) {
	char part[128];
	struct stat st;
	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
		if (stat(part, &st) != 0 || !S_ISDIR(st.st_mode)) // FROM check_parents
			return -1;
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	char path[128];
	mkdir("a", 0755);
	mkdir("a/b", 0755);
	for (int d = 0; d < DIRS; d++) {
		snprintf(path, sizeof path, "a/b/%d", d);
		mkdir(path, 0755);
		for (int f = 0; f < FILES; f++) {
			snprintf(path, sizeof path, "a/b/%d/%d", d, f);
			int fd = open(path, O_CREAT | O_WRONLY, 0644);
			if (fd < 0)
				return 1;
			close(fd);
		}
	}
	for (int d = 0; d < DIRS; d++)
		for (int f = 0; f < FILES; f++) {
			snprintf(path, sizeof path, "a/b/%d/%d", d, f);
			if ((argc == 1 || f == 0) && check_parents(path) != 0)
				return 1;
			int fd = open(path, O_RDONLY);
			if (fd < 0)
				return 1;
			close(fd);
		}
	return 0;
}
