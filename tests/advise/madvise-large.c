// finds: madvise-storm
// says: Memory was given back with madvise 59 times at one place
// An arena of 12 MiB is given back after each of 60 tiles, and faulted in again. Corrected, it is kept.
#include <string.h>
#include <sys/mman.h>

enum { TILES = 60, ARENA = 12 << 20 };

static void done(char *arena) {
	madvise(arena, ARENA, MADV_DONTNEED); // FROM done
}

int main(int argc, char **argv) {
	(void)argv;
	char *arena = mmap(0, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < TILES; i++) {
		memset(arena, i, ARENA);
		if (argc == 1 && i < TILES - 1)
			done(arena);
	}
	return arena[ARENA - 1] != TILES - 1;
}
