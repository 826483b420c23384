// finds: set-again
// says: 39,999 times, 
// never: changing
// Sets the mode of a file after each record. Corrected, it sets the mode once. The mode of another file changes each time.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS 40000

static char page[4096];

int main(int argc, char **argv) {
	(void)argv;
	int fd = open("records", O_CREAT | O_RDWR, 0600);
	int changing = open("changing", O_CREAT | O_RDWR, 0600);
	memset(page, 'x', sizeof page);
	for (int i = 0; i < 400; i++)
		if (fchmod(changing, i % 2 ? 0600 : 0640) != 0)
			return 1;
	for (int i = 0; i < RECORDS; i++) {
		if (pwrite(fd, page, sizeof page, i % 64 * 4096L) != sizeof page)
			return 1;
		if ((argc == 1 || i == 0) && fchmod(fd, 0640) != 0) // FROM main
			return 1;
	}
	return 0;
}
