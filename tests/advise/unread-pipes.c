// finds: unread-pipes
// estimate: time is saved, not calls
// says: read 4 pipes one after the other
// only: ebpf
// Starts four exports that each write to a pipe, and reads the pipes one after the other. Corrected, it reads from all as bytes come.
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXPORTS = 4, PIECES = 40, PIECE = 16384 };

// Each piece takes 5 ms. It sleeps, so that it takes as long on a busy machine.
static void export_to(int pipe) {
	static char piece[PIECE];
	struct timespec work = {.tv_nsec = 5000000};
	for (int i = 0; i < PIECES; i++) {
		nanosleep(&work, NULL);
		for (int done = 0; done < PIECE;) {
			ssize_t n = write(pipe, piece + done, PIECE - done);
			if (n <= 0)
				_exit(1);
			done += n;
		}
	}
	_exit(0);
}

static long take(int pipe) {
	static char piece[PIECE];
	return read(pipe, piece, sizeof piece); // FROM take
}

int main(int argc, char **argv) {
	(void)argv;
	struct pollfd pipes[EXPORTS];
	for (int i = 0; i < EXPORTS; i++) {
		int ends[2];
		if (pipe(ends))
			return 1;
		if (fork() == 0) {
			close(ends[0]);
			export_to(ends[1]);
		}
		close(ends[1]);
		pipes[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	}
	if (argc > 1) {
		for (int open = EXPORTS; open > 0 && poll(pipes, EXPORTS, -1) > 0;)
			for (int i = 0; i < EXPORTS; i++)
				if (pipes[i].fd >= 0 && pipes[i].revents && take(pipes[i].fd) <= 0) {
					pipes[i].fd = -1;
					open--;
				}
	} else {
		for (int i = 0; i < EXPORTS; i++)
			while (take(pipes[i].fd) > 0)
				;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
