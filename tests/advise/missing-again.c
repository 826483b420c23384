// finds: stat-storm
// Tries to open a missing file for each line.
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 1500; i++) {
		if ((argc == 1 || i == 0) && open("override.conf", O_RDONLY) >= 0)
			return 1;
		if (i % 100 == 0 && getppid() == 0)
			return 1;
	}
	return 0;
}
