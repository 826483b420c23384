// finds: map-churn
// says: of fresh memory and unmapped them again 24 times
// Maps a table of 64 MiB for each batch, touches it, and unmaps it. Corrected, all batches have the same table.
#include <sys/mman.h>

enum { BATCHES = 24, SIZE = 64 << 20, PAGE = 4096 };

static char *take(void) {
	char *at = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? 0 : at;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char *kept = 0;
	for (int i = 0; i < BATCHES; i++) {
		char *table = kept ? kept : take();
		if (!table)
			return 1;
		for (int at = 0; at < SIZE; at += PAGE)
			table[at] = (char)i;
		if (corrected)
			kept = table;
		else
			munmap(table, SIZE);
	}
	return 0;
}
