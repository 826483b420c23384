// finds: sync-storm
// Syncs a journal after every page.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PAGES 300

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char page[5000];
	int fd = open("journal", O_CREAT | O_WRONLY | O_TRUNC, 0644);
	if (fd < 0)
		return 1;
	for (int i = 0; i < PAGES; i++) {
		memset(page, 'a' + i % 26, sizeof page);
		if (write(fd, page, sizeof page) != sizeof page)
			return 1;
		if ((!corrected || i == PAGES - 1) && fdatasync(fd) != 0)
			return 1;
	}
	return close(fd);
}
