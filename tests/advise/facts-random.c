// finds: facts
// says: getrandom was called 3,000 times, for 16 bytes on average.
// Draws sixteen random bytes for each of 3,000 identifiers; corrected, it fills a pool.
#include <sys/random.h>

#define IDENTIFIERS 3000

int main(int argc, char **argv) {
	(void)argv;
	static char pool[16 * 256];
	for (int i = 0; i < IDENTIFIERS; i++) {
		size_t size = argc > 1 ? sizeof pool : 16;
		if (argc == 1 || i % 256 == 0)
			for (size_t got = 0; got < size;) {
				ssize_t n = getrandom(pool + got, size - got, 0);
				if (n <= 0)
					return 1;
				got += n;
			}
	}
	return 0;
}
