// finds: byte-reads
// A program gets the output of another one as /dev/fd/N, as from a shell's <(...), and reads single bytes. Corrected, it reads into a buffer.
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINES = 200 };

int main(int argc, char **argv) {
	(void)argv;
	int ends[2], lines = 0;
	char path[32], buffer[4096];
	if (pipe(ends))
		return 77;
	pid_t writer = fork();
	if (writer == 0) {
		close(ends[0]);
		for (int i = 0; i < LINES; i++)
			dprintf(ends[1], "line %d of the report\n", i);
		_exit(0);
	}
	close(ends[1]);
	waitpid(writer, NULL, 0);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	int report = open(path, O_RDONLY);
	if (report < 0)
		return 77;
	for (ssize_t n; (n = read(report, buffer, argc > 1 ? sizeof buffer : 1)) > 0;) // FROM main
		for (ssize_t i = 0; i < n; i++)
			lines += buffer[i] == '\n';
	return lines != LINES;
}
