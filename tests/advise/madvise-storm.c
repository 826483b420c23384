// finds: madvise-storm
// Gives the pages of a buffer back after each request.
#include <string.h>
#include <sys/mman.h>

#define REQUESTS 600
#define SIZE (256 << 10)

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char *buffer = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return 1;
	for (int i = 0; i < REQUESTS; i++) {
		memset(buffer, i, SIZE);
		if (!corrected)
			madvise(buffer, SIZE, MADV_DONTNEED);
	}
	return 0;
}
