// finds: shared-writes
// estimate: the two pass the turn on by calls of their own
// says: 2 processes wrote to
// says: /result by turns, 100 bytes at a time on average
// says: 1,199 of 1,200 writes came after one of another process, 1,198 of them in the same page
// Two processes write records to one file, each after the other's. Corrected, each writes its part in one piece.
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDS 600
#define SIZE 100

int main(int argc, char **argv) {
	(void)argv;
	int turns[2][2];
	static char all[RECORDS * SIZE];
	memset(all, 'r', sizeof all);
	int fd = open("result", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || pipe(turns[0]) || pipe(turns[1]) || write(turns[0][1], "", 1) != 1)
		return 1;
	pid_t child = fork();
	int me = child == 0;
	if (argc > 1) {
		if (pwrite(fd, all, sizeof all, me * sizeof all) < 0)
			return 1;
	} else {
		for (int i = 0; i < RECORDS; i++) {
			char turn;
			if (read(turns[me][0], &turn, 1) != 1 || pwrite(fd, all + i * SIZE, SIZE, (2 * i + me) * SIZE) < 0 ||
			    write(turns[!me][1], &turn, 1) != 1)
				return 1;
		}
	}
	return me ? 0 : waitpid(child, NULL, 0) != child;
}
