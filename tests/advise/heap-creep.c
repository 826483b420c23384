// finds: heap-creep
// The program's own allocator extends the heap page by page.
#include <unistd.h>

#define PAGES 2000
#define PAGE 4096

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	char *free_ = NULL;
	for (int i = 0; i < PAGES; i++) {
		int at = corrected ? i % 256 : 0;
		if (at == 0) {
			free_ = sbrk(corrected ? 256 * PAGE : PAGE);
			if (free_ == (void *)-1)
				return 1;
		}
		free_[at * PAGE] = 1;
	}
	return 0;
}
