// finds: search-path
// Searches modules in one directory after another. Corrected, it looks first in the directory that has them.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES 100

static const char *wasteful[] = {"one", "two", "three", "four", "five"}, *corrected[] = {"five", "one", "two", "three", "four"};

int main(int argc, char **argv) {
	(void)argv;
	char path[128];
	const char **order = argc > 1 ? corrected : wasteful;
	for (int i = 0; i < 5; i++)
		mkdir(order[i], 0755);
	for (int m = 0; m < MODULES; m++) {
		snprintf(path, sizeof path, "five/%d.so", m);
		int fd = open(path, O_CREAT | O_WRONLY, 0644);
		if (fd < 0)
			return 1;
		close(fd);
	}
	for (int m = 0; m < MODULES; m++) {
		int fd = -1;
		for (int i = 0; i < 5 && fd < 0; i++) {
			snprintf(path, sizeof path, "%s/%d.so", order[i], m);
			fd = open(path, O_RDONLY); // FROM main
		}
		if (fd < 0)
			return 1;
		close(fd);
	}
	return 0;
}
