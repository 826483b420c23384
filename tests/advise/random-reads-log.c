// finds: random-reads
// says: times over
// says: read on from there
// Follows a log to which another process appends, and reads all of it each time. Corrected, it reads on from where it was.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 40
#define BURST (512 << 10)

static char text[ROUNDS * BURST];
static int said[2], heard[2];

// Appends when it is told to.
static void application(void) {
	int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (int i = 0; i < ROUNDS; i++) {
		char go = 0;
		if (read(said[0], &go, 1) != 1 || write(log, text, BURST) != BURST || write(heard[1], &go, 1) != 1)
			exit(1);
	}
	exit(0);
}

static long follow(long from) {
	int log = open("log", O_RDONLY);
	long got = 0;
	if (from)
		lseek(log, from, SEEK_SET);
	for (long bytes; (bytes = read(log, text, sizeof text)) > 0;) // FROM follow
		got += bytes;
	close(log);
	return got;
}

int main(int argc, char **argv) {
	(void)argv;
	memset(text, 'x', sizeof text);
	if (pipe(said) || pipe(heard))
		exit(1);
	if (fork() == 0)
		application();
	long known = 0;
	for (int i = 0; i < ROUNDS; i++) {
		char go = 1;
		if (write(said[1], &go, 1) != 1 || read(heard[0], &go, 1) != 1)
			exit(1);
		if (argc > 1)
			known += follow(known);
		else
			known = follow(0);
	}
	wait(NULL);
	unlink("log");
	return known != (long)ROUNDS * BURST;
}
