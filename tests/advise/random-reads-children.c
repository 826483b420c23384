// finds: random-reads
// says: by 39 processes
// says: Let one process do the work
// Adds items to an archive with a process for each, which reads all of the archive before. Corrected, one process adds all.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS 40
#define ITEM (64 << 10)
#define PIECE 4096

static char text[ITEM];

static int open_archive(void) {
	char piece[PIECE];
	int archive = open("archive", O_RDWR | O_CREAT, 0600);
	while (read(archive, piece, sizeof piece) > 0) // FROM open_archive
		;
	return archive;
}

static void add(int archive) {
	for (int at = 0; at < ITEM; at += PIECE)
		if (write(archive, text + at, PIECE) != PIECE)
			exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	memset(text, 'x', sizeof text);
	if (argc > 1) {
		int archive = open_archive();
		for (int i = 0; i < ITEMS; i++)
			add(archive);
		return unlink("archive");
	}
	for (int i = 0; i < ITEMS; i++) {
		int status;
		if (fork() == 0) {
			add(open_archive());
			exit(0);
		}
		wait(&status);
		if (status)
			return 1;
	}
	return unlink("archive");
}
