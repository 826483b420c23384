// finds: repeated
// estimate: whether each call is needed is not known
// only: ebpf
// says: mprotect(2) was called
// Opens and closes a guard around each small change. Corrected, it opens the guard once.
#include <stddef.h>
#include <sys/mman.h>

#define PAGES 256

static int guard(char *page, int protection) {
	return mprotect(page, 4096, protection); // FROM guard
}

int main(int argc, char **argv) {
	(void)argv;
	char *memory = mmap(NULL, PAGES << 12, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || (argc > 1 && mprotect(memory, PAGES << 12, PROT_READ | PROT_WRITE)))
		return 1;
	for (int i = 0; i < 30000; i++) {
		char *page = memory + (i % PAGES << 12);
		if (argc == 1 && guard(page, PROT_READ | PROT_WRITE))
			return 1;
		*page = (char)i;
		if (argc == 1)
			guard(page, PROT_READ);
	}
	return 0;
}
