// finds: tiny-reads
// Reads files through a small buffer. Short reads of a pipe with a slow writer are no waste.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 100

static char data[16000], buffer[65536];

static void count(const char *name, size_t size) {
	int fd = open(name, O_RDONLY);
	if (fd < 0)
		exit(1);
	while (read(fd, buffer, size) > 0) // FROM count
		continue;
	close(fd);
}

static void talk(void) {
	int ends[2];
	if (pipe(ends) != 0)
		exit(1);
	if (fork() == 0) {
		for (int i = 0; i < 50; i++) {
			dprintf(ends[1], "word %d\n", i);
			usleep(1000);
		}
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], buffer, 512) > 0)
		continue;
	wait(NULL);
}

int main(int argc, char **argv) {
	(void)argv;
	memset(data, 'x', sizeof data);
	for (int i = 0; i < FILES; i++) {
		char name[64];
		snprintf(name, sizeof name, "%d", i);
		int fd = open(name, O_CREAT | O_WRONLY, 0644);
		if (fd < 0 || write(fd, data, sizeof data) != sizeof data)
			return 1;
		close(fd);
		count(name, argc > 1 ? 65536 : 1024);
	}
	talk();
	return 0;
}
