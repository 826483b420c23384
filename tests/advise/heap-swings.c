// finds: heap-creep
// Gives each round's memory back to the kernel, and takes it again.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 500
#define BLOCKS 10
#define SIZE 100000

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, corrected ? 16 << 20 : 128 << 10);
	char *blocks[BLOCKS];
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < BLOCKS; j++) {
			blocks[j] = malloc(SIZE);
			if (!blocks[j])
				return 1;
			memset(blocks[j], i, SIZE);
		}
		for (int j = BLOCKS; j-- > 0;)
			free(blocks[j]);
	}
	return 0;
}
