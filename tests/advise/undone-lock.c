// finds: undone
// says: records was locked and unlocked 2,000 times by one process
// never: shared was locked
// Locks a file around each record. Corrected, it does so around a thousand of them. Another file is locked by two processes, each of which needs the lock.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDS 2000

static void lock(int fd, short type) {
	struct flock range = {.l_type = type, .l_whence = SEEK_SET};
	if (fcntl(fd, F_SETLKW, &range) != 0) // FROM lock
		exit(1);
}

static void share(void) {
	int fd = open("shared", O_CREAT | O_RDWR, 0644);
	for (int i = 0; i < 150; i++)
		if (flock(fd, LOCK_EX) != 0 || flock(fd, LOCK_UN) != 0)
			exit(1);
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	int status;
	pid_t child = fork();
	if (child == 0) {
		share();
		return 0;
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		return 1;
	share();
	int fd = open("records", O_CREAT | O_RDWR | O_TRUNC, 0644);
	for (int i = 0; i < RECORDS; i++) {
		if (argc == 1 || i % 1000 == 0)
			lock(fd, F_WRLCK);
		if (pwrite(fd, "a record of a size that is no small write, and which has a place of its own in the file", 88, i * 4096L) != 88)
			return 1;
		if (argc == 1 || i % 1000 == 999)
			lock(fd, F_UNLCK);
	}
	return 0;
}
