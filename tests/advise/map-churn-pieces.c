// finds: map-churn
// says: Pieces of
// says: were mapped and unmapped again 20,000 times by one process
// Maps a page of a file for each look at a record. Corrected, the whole file is mapped once.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64, LOOKS = 20000 };

int main(int argc, char **argv) {
	(void)argv;
	int file = open("records", O_RDWR | O_CREAT, 0644);
	if (file < 0 || ftruncate(file, PAGE * PAGES))
		return 1;
	const char *all = mmap(NULL, PAGE * PAGES, PROT_READ, MAP_SHARED, file, 0);
	long sum = 0;
	for (int i = 0; i < LOOKS; i++) {
		long at = (long)PAGE * (i * 7 % PAGES);
		if (argc > 1) {
			sum += all[at];
			continue;
		}
		char *piece = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, at);
		sum += *piece;
		munmap(piece, PAGE);
	}
	return sum != 0;
}
