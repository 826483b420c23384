// finds: shifted-names
// says: renamed old files one after another to make room for a new one
// Rotates a log each few lines and keeps 60 old ones, all of which get the next number. Corrected, each has a number that lasts.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT 60
#define ROTATIONS 150

static void name(int number, char *path) {
	sprintf(path, number ? "audit.log.%d" : "audit.log", number);
}

static void move(int from, int to) {
	char old[32], new[32];
	name(from, old);
	name(to, new);
	if (rename(old, new)) // FROM move
		exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	char path[32];
	int log = open("audit.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (int rotation = 0; rotation < ROTATIONS; rotation++) {
		if (write(log, "a door was opened\na door was closed\n", 36) != 36)
			exit(1);
		close(log);
		if (argc == 1)
			for (int i = rotation < KEPT ? rotation : KEPT - 1; i > 0; i--)
				move(i, i + 1);
		move(0, argc == 1 ? 1 : rotation + 1);
		log = open("audit.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	}
	for (int i = 0; i <= ROTATIONS; i++) {
		name(i, path);
		unlink(path);
	}
}
