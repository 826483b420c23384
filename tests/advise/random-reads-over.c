// finds: random-reads
// estimate: how many reads are needed is the program's affair
// says: was read 40 times over: 40.0 MiB in all, of the 1.00 MiB that were read of the file
// Each query goes through a whole table, which other processes may change in between. Corrected, an index tells where to look.
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 256, QUERIES = 40 };

static char page[PAGE];

static void lock(int file, short type) {
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
	if (fcntl(file, F_SETLK, &lock))
		_exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	int file = open("table", O_RDWR | O_CREAT, 0644);
	static char table[PAGE * PAGES];
	if (file < 0 || write(file, table, sizeof table) != sizeof table)
		return 1;
	long sum = 0;
	for (int i = 0; i < QUERIES; i++) {
		lock(file, F_RDLCK);
		for (int k = argc > 1 ? PAGES - 1 : 0; k < PAGES; k++) {
			if (pread(file, page, PAGE, (long)PAGE * k) != PAGE) // FROM main
				return 1;
			for (int at = 0; at < PAGE; at++)
				sum += page[at];
		}
		lock(file, F_UNLCK);
	}
	return sum != 0;
}
