// finds: sync-storm
// estimate: the syncs of the directory are saved as well, and no size tells how many of them are needed
// says: was synced
// Syncs its journal and the directory after each entry. The directory is opened for that alone, which is no second finding.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES 200

static void sync_directory(void) {
	int fd = open(".", O_RDONLY);
	if (fd < 0 || fsync(fd) != 0)
		exit(1);
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	static char entry[4096];
	memset(entry, 'e', sizeof entry);
	int fd = open("journal", O_CREAT | O_WRONLY | O_APPEND, 0644);
	for (int i = 0; i < ENTRIES; i++) {
		if (write(fd, entry, sizeof entry) != sizeof entry)
			return 1;
		if (argc == 1 || i + 1 == ENTRIES) {
			fsync(fd);
			sync_directory();
		}
	}
	return 0;
}
