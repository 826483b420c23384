// finds: held-lock
// estimate: no call is saved, only waiting
// says: program waited in clock_nanosleep with the lock of
// Processes call a slow service while they hold the lock of a file. Corrected, they call the service before they take the lock.
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 3
#define TIMES 100

/* A connection to the service. */
static struct pollfd service = {-1, POLLIN, 0};

static int work(int corrected) {
	int fd = open("lock", O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		return 1;
	for (int i = 0; i < TIMES; i++) {
		if (corrected)
			poll(&service, 1, 2); // The service takes its time.
		flock(fd, LOCK_EX);
		if (!corrected)
			usleep(2000);
		flock(fd, LOCK_UN);
		/* The next one gets the lock. */
		usleep(200);
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	service.fd = ends[0];
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			return work(argc > 1);
	while (wait(NULL) > 0)
		;
	return 0;
}
