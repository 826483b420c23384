// finds: tiny-maps
// Takes memory from the kernel page by page.
#include <stddef.h>
#include <sys/mman.h>

#define PAGES 1000
#define PAGE 4096

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char *chunk = NULL;
	for (int i = 0; i < PAGES; i++) {
		if (!corrected || i % 256 == 0) {
			int size = corrected ? 256 * PAGE : PAGE;
			chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (chunk == MAP_FAILED)
				return 1;
		}
		chunk[corrected ? i % 256 * PAGE : 0] = 1;
	}
	return 0;
}
