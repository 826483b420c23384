// finds: map-churn
// Maps a buffer of 2 MiB for each picture, and unmaps it.
#include <string.h>
#include <sys/mman.h>

#define PICTURES 500
#define SIZE (2 << 20)

static char *take(void) {
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char *kept = NULL;
	for (int i = 0; i < PICTURES; i++) {
		char *picture = kept ? kept : take();
		if (!picture)
			return 1;
		memset(picture, i, 65536);
		if (corrected)
			kept = picture;
		else
			munmap(picture, SIZE);
	}
	return 0;
}
