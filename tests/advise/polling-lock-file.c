// finds: polling
// estimate: few calls are saved, most of the change is waiting
// says: tried to make a lock file that was there already and slept
// Three processes take turns with a lock file that only one can make, and sleep until it is gone. Corrected, they lock a file that stays there.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The work that only one may do at a time.
static void work(void) {
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 10000000);
}

int main(int argc, char **argv) {
	(void)argv;
	for (int worker = 0; worker < 3; worker++)
		if (fork() == 0) {
			for (int i = 0; i < 3; i++) {
				int lock;
				if (argc > 1) {
					lock = open("lock", O_WRONLY | O_CREAT, 0600);
					flock(lock, LOCK_EX);
				} else
					while ((lock = open("lock", O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0)
						usleep(60000);
				work();
				if (argc == 1)
					unlink("lock");
				close(lock);
			}
			return 0;
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
