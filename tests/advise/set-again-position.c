// finds: set-again
// says: was given the position that it had already
// Reads a file in pieces and looks at the records in each. Before each record, the program moves to the piece behind this one, where the file is already, as fseek(3) may do. Corrected, it moves not
// at all.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#define PIECES 20
#define RECORDS 100

static char piece[65536];

static void look(int fd, int at, int corrected) {
	if (!corrected)
		lseek(fd, (off_t) at * sizeof piece, SEEK_SET); // FROM look
}

int main(int argc, char **argv) {
	(void)argv;
	int fd = open("records", O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < PIECES; i++)
		if (write(fd, piece, sizeof piece) < 0)
			return 1;
	lseek(fd, 0, SEEK_SET);
	for (int i = 0; i < PIECES; i++) {
		if (read(fd, piece, sizeof piece) < 0)
			return 1;
		for (int record = 0; record < RECORDS; record++)
			look(fd, i + 1, argc > 1);
	}
	return close(fd);
}
