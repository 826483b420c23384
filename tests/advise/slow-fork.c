// finds: slow-fork
// estimate: no call is saved, only their time
// says: each fork took
// says: the tables of its memory are copied for each child
// A process with much memory forks a child for each of several small jobs. Corrected, it does them itself.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	size_t size = (size_t)768 << 20;
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		return 1;
	// The table of a huge page is small.
	madvise(data, size, MADV_NOHUGEPAGE);
	memset(data, 1, size);
	for (int i = 0; i < 8; i++) {
		pid_t child = argc > 1 ? -1 : fork(); // FROM main
		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return 0;
}
