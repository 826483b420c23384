// finds: reopened
// says: to learn about a process
// says: by the clock, not for each item
// Looks at the size of its memory for each item. Corrected, it does so now and then.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ITEMS 1000

static void look(void) {
	static char status[8192];
	int fd = open("/proc/self/status", O_RDONLY);
	struct stat stat;
	if (fd < 0 || fstat(fd, &stat) != 0 || read(fd, status, sizeof status) <= 0)
		exit(1);
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < ITEMS; i++)
		if (argc == 1 || i % 250 == 0)
			look();
	return 0;
}
