// finds: held-lock
// estimate: no call is saved, only waiting
// says: program waited in read on socket pair with the lock of
// says: ledger
// Processes ask a slow service, another process, while they hold the lock of a record of a file. Corrected, they ask before they take the lock.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 3
#define TIMES 40

static void serve(int client) {
	char c;
	while (read(client, &c, 1) == 1) {
		struct timespec work = {0, 6 * 1000 * 1000};
		nanosleep(&work, NULL);
		if (write(client, &c, 1) != 1)
			break;
	}
	_exit(0);
}

static void ask(int service) {
	char c = 'x';
	if (write(service, &c, 1) != 1 || read(service, &c, 1) != 1)
		exit(1);
}

static void set(int fd, short type) {
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
	if (fcntl(fd, F_SETLKW, &lock)) // FROM set
		exit(1);
}

static int work(int service, int corrected) {
	int fd = open("ledger", O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		return 1;
	for (int i = 0; i < TIMES; i++) {
		if (corrected)
			ask(service);
		set(fd, F_WRLCK);
		if (!corrected)
			ask(service);
		set(fd, F_UNLCK);
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < PROCESSES; i++) {
		int pair[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		if (fork() == 0) {
			close(pair[0]);
			serve(pair[1]);
		}
		close(pair[1]);
		if (fork() == 0)
			return work(pair[0], argc > 1);
		close(pair[0]);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
