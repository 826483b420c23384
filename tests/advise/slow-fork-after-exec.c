// finds: slow-fork
// estimate: no call is saved, only their time
// says: each fork took
// A small program, such as a wrapper, forks some children and then executes a program with much memory, which forks for each of several small jobs.
// Corrected, that one does them itself.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void fork_times(int times) {
	for (int i = 0; i < times; i++) {
		pid_t child = fork(); // FROM fork_times
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

int main(int argc, char **argv) {
	int corrected = argc > 1 && strcmp(argv[1], "corrected") == 0;
	if (argc == 1 || corrected) {
		fork_times(4);
		execl("/proc/self/exe", argv[0], corrected ? "well" : "wasteful", NULL);
		return 1;
	}
	size_t size = (size_t)768 << 20;
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		return 1;
	madvise(data, size, MADV_NOHUGEPAGE);
	memset(data, 1, size);
	if (strcmp(argv[1], "wasteful") == 0)
		fork_times(8);
	return 0;
}
