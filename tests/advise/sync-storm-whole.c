// finds: sync-storm
// Calls sync(2) after each file.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FILES 120

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	for (int i = 0; i < FILES; i++) {
		char name[32];
		snprintf(name, sizeof name, "%d", i);
		int fd = open(name, O_CREAT | O_WRONLY, 0644);
		if (fd < 0 || write(fd, name, 1) != 1)
			return 1;
		close(fd);
		if (!corrected || i == FILES - 1)
			sync();
	}
	return 0;
}
