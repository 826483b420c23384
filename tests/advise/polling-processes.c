// finds: polling
// estimate: the sleeps of several processes overlap, and no call is saved for certain
// says: tried to get a lock and slept
// says: flock(2) without LOCK_NB
// Each of four processes at a time needs a lock once: none of them sleeps often, but one of them always does. Corrected, they wait for the lock.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES 3
#define REQUESTS 4

static void pause_ms(long ms) {
	nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static int came[2];

static int is_locked(int file) {
	return flock(file, LOCK_EX | LOCK_NB); // FROM is_locked
}

static void take(int file, int waits) {
	int is_late = waits || is_locked(file);
	if (write(came[1], "", 1) != 1)
		exit(1);
	if (waits)
		flock(file, LOCK_EX);
	else if (is_late)
		do
			pause_ms(200);
		while (is_locked(file));
}

static unsigned change(unsigned x) {
	for (int i = 0; i < 4000000; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

int main(int argc, char **argv) {
	unsigned x = 0;
	(void)argv;
	if (pipe(came))
		return 1;
	for (int page = 0; page < PAGES; page++) {
		char all[REQUESTS];
		int session = open("session", O_RDWR | O_CREAT, 0600);
		flock(session, LOCK_EX);
		for (int request = 0; request < REQUESTS; request++)
			if (fork() == 0) {
				int file = open("session", O_RDWR | O_CREAT, 0600);
				take(file, argc > 1);
				x = change(x);
				close(file);
				exit(x == 1);
			}
		// The lock is free when all have tried once.
		for (int request = 0; request < REQUESTS; request++)
			if (read(came[0], all, 1) != 1)
				return 1;
		flock(session, LOCK_UN);
		close(session);
		for (int request = 0; request < REQUESTS; request++)
			wait(NULL);
	}
	return unlink("session");
}
