// finds: polling
// estimate: the number of tries depends on the time
// says: tried to get a lock and slept
// never: looked for a file
// One process has a lock of fcntl(2) while it waits for an answer, and another one looks for a journal, tries to lock, and sleeps.
// Corrected, the other one waits for the lock, and all answers are there before.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCHES = 6 };

static int locked(int file, int op, short kind) {
	struct flock lock = {.l_type = kind, .l_whence = SEEK_SET};
	return fcntl(file, op, &lock) == 0; // FROM locked
}

static void batch(int file, int corrected) {
	if (!corrected)
		access("store-journal", F_OK);
	while (!locked(file, corrected ? F_SETLKW : F_SETLK, F_WRLCK)) {
		usleep(10000);
		access("store-journal", F_OK);
	}
	if (!corrected)
		usleep(40000); // The answer.
	locked(file, F_SETLK, F_UNLCK);
}

int main(int argc, char **argv) {
	(void)argv;
	int file = open("store", O_RDWR | O_CREAT, 0600);
	if (argc > 1)
		usleep(40000); // All answers.
	pid_t other = fork();
	for (int i = 0; i < BATCHES; i++)
		batch(file, argc > 1);
	if (other)
		waitpid(other, 0, 0);
	return 0;
}
