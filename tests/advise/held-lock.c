// finds: held-lock
// estimate: no call is saved, only waiting
// says: program waited in read on
// says: with the lock of
// Workers take the lock of a session and ask a slow service before they give the lock back. Corrected, they ask the service first.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 3
#define PAGES 12

static int ask(int service) {
	char answer = 'q';
	return write(service, &answer, 1) != 1 || read(service, &answer, 1) != 1;
}

static int work(int service, int corrected) {
	int session = open("session", O_RDWR | O_CREAT, 0600);
	if (session < 0)
		return 1;
	for (int i = 0; i < PAGES; i++) {
		if (corrected && ask(service))
			return 1;
		flock(session, LOCK_EX);
		if (!corrected && ask(service))
			return 1;
		flock(session, LOCK_UN);
	}
	return 0;
}

/* Each worker has a service of its own, so only the lock keeps them from working at the same time. */
static int serve(int worker) {
	char question;
	while (read(worker, &question, 1) == 1) {
		usleep(10000);
		if (write(worker, &question, 1) != 1)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < WORKERS; i++) {
		int ends[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return 1;
		if (fork() == 0) {
			close(ends[1]);
			return serve(ends[0]);
		}
		close(ends[0]);
		if (fork() == 0)
			return work(ends[1], argc > 1);
		close(ends[1]);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
