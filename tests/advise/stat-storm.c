// finds: stat-storm
// Visits files, and checks each time that their directory exists.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 1500

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	struct stat st;
	mkdir("dir", 0755);
	for (int i = 0; i < 2 * FILES; i++) {
		int visit = i >= FILES;
		char name[64];
		snprintf(name, sizeof name, "dir/%d", i % FILES);
		if (visit && (!corrected || i == FILES) && stat("dir", &st) != 0) // FROM main
			return 1;
		int fd = open(name, O_CREAT | O_RDWR, 0644);
		if (fd < 0)
			return 1;
		close(fd);
	}
	return 0;
}
