// finds: fd-leak
// estimate: descriptors are saved, not calls
// never: -k
// never: debugger
// Reads a file for each request and forgets to close it.
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int file = open("table", O_CREAT | O_WRONLY, 0644);
	if (write(file, "1 one\n", 6) != 6)
		return 1;
	for (int request = 0; request < 100; request++) {
		char line[64];
		// The program makes other calls in between.
		for (int i = 0; i < 60; i++)
			lseek(STDIN_FILENO, i, SEEK_SET);
		// The file changes between requests.
		if (pwrite(file, request % 2 ? "1 two\n" : "1 one\n", 6, 0) != 6)
			return 1;
		int fd = open("table", O_RDONLY); // FROM main
		if (fd < 0 || read(fd, line, sizeof line) < 0)
			return 1;
		if (argc > 1)
			close(fd);
	}
	return 0;
}
