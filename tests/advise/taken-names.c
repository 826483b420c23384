// finds: taken-names
// says: go on from there
// Unpacks files of the same name into one directory, and looks for a free name for each. Corrected, the last number is remembered.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FILES = 150 };

static int make(int first) {
	for (int number = first;; number++) {
		char name[64];
		snprintf(name, sizeof name, "invoice (%d).pdf", number);
		int fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0644); // FROM make
		if (fd < 0)
			continue;
		close(fd);
		return number;
	}
}

int main(int argc, char **argv) {
	(void)argv;
	int last = -1;
	for (int i = 0; i < FILES; i++)
		last = make(argc == 1 ? 0 : last + 1);
	return 0;
}
