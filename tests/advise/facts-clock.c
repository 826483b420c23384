// finds: facts
// says: The clock was read
// Reads the clock by syscalls instead of the vDSO.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	struct timespec now;
	for (int i = 0; i < 500; i++)
		if (argc == 1 || i % 50 == 0)
			syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return 0;
}
