// finds: polling
// estimate: few calls are saved, most of the change is waiting
// says: tried to make a lock file that was there already and slept
// A program wants a lock file that its child has made and works with, and sleeps until the file is gone. Corrected, it waits for the child.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static int try_lock(void) {
	return open("lock", O_WRONLY | O_CREAT | O_EXCL, 0600); // FROM try_lock
}

static void unlock(int fd) {
	unlink("lock");
	close(fd);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 6; i++) {
		int has_lock[2], fd;
		char byte = 0;
		if (pipe(has_lock))
			return 1;
		pid_t child = fork();
		if (child == 0) {
			fd = try_lock();
			if (write(has_lock[1], &byte, 1) != 1)
				return 1;
			poll(NULL, 0, 150); // It works.
			unlock(fd);
			return 0;
		}
		if (read(has_lock[0], &byte, 1) != 1)
			return 1;
		if (argc > 1)
			waitpid(child, NULL, 0);
		while ((fd = try_lock()) < 0)
			usleep(100000);
		unlock(fd);
		close(has_lock[0]);
		close(has_lock[1]);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
