// finds: hang
// estimate: nothing is saved, but all is lost
// says: wait for each other: a deadlock
// A process writes more to a filter than two pipes hold, and reads only then, until both are killed. Corrected, it reads
// after each piece.
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 4096
#define PIECES 100

static char buffer[PIECE];

static int all(ssize_t (*move)(int, void *, size_t), int fd) {
	for (size_t done = 0; done < PIECE;) {
		ssize_t n = move(fd, buffer + done, PIECE - done);
		if (n <= 0)
			return 0;
		done += n;
	}
	return 1;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	pid_t caller = fork();
	if (caller == 0) {
		int to[2], from[2];
		setpgid(0, 0);
		if (pipe(to) || pipe(from))
			_exit(1);
		if (fork() == 0) {
			close(to[1]);
			close(from[0]);
			while (all(read, to[0]) && all((ssize_t(*)(int, void *, size_t))write, from[1]))
				;
			_exit(0);
		}
		close(to[0]);
		close(from[1]);
		for (int i = 0; i < PIECES; i++) {
			all((ssize_t(*)(int, void *, size_t))write, to[1]);
			if (corrected)
				all(read, from[0]);
		}
		for (int i = 0; i < PIECES && !corrected; i++)
			all(read, from[0]);
		_exit(0);
	}
	// Ends both processes at once: if one were left, it would see the other's end.
	setpgid(caller, caller);
	if (!corrected) {
		sleep(4);
		// A process that runs would see that the other has ended.
		kill(-caller, SIGSTOP);
		usleep(200000);
		kill(-caller, SIGKILL);
	}
	waitpid(caller, NULL, 0);
	return 0;
}
