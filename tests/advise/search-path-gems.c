// finds: search-path
// says: 147 searches along a path
// Loads the files of libraries, each of which has a directory of its own on the path, with two endings. The names begin with the name of the library.
// Corrected, each file is opened where it is.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARIES 150
#define FILES 1

static int load(int first, int library, int file) {
	static const char *endings[] = {"rb", "so"};
	char path[128];
	for (int place = first; place < LIBRARIES; place++)
		for (int ending = 0; ending < 2; ending++) {
			snprintf(path, sizeof path, "%d/lib/gem%d/%d.%s", place, library, file, endings[ending]);
			int fd = open(path, O_RDONLY); // FROM load
			if (fd >= 0)
				return close(fd);
		}
	return 1;
}

int main(int argc, char **argv) {
	char path[128];
	(void)argv;
	for (int l = 0; l < LIBRARIES; l++) {
		snprintf(path, sizeof path, "%d", l);
		mkdir(path, 0755);
		snprintf(path, sizeof path, "%d/lib", l);
		mkdir(path, 0755);
		snprintf(path, sizeof path, "%d/lib/gem%d", l, l);
		mkdir(path, 0755);
		for (int f = 0; f < FILES; f++) {
			snprintf(path, sizeof path, "%d/lib/gem%d/%d.rb", l, l, f);
			close(open(path, O_CREAT | O_WRONLY, 0644));
		}
	}
	for (int l = 0; l < LIBRARIES; l++)
		for (int f = 0; f < FILES; f++)
			if (load(argc > 1 ? l : 0, l, f))
				return 1;
	return 0;
}
