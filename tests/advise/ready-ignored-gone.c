// finds: ready-ignored
// says: in waits that ended at once: the other end of a descriptor is gone
// Waits for jobs and for a client that has gone, and does not notice that. Corrected, the client's descriptor leaves the set.
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS 20

static void client(int jobs) {
	for (int i = 0; i < JOBS; i++) {
		usleep(10000);
		if (write(jobs, "job", 3) != 3)
			_exit(1);
	}
	_exit(0);
}

int main(int argc, char **argv) {
	(void)argv;
	int gone[2], jobs[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, gone) || pipe(jobs))
		return 1;
	close(gone[1]);
	if (fork() == 0)
		client(jobs[1]);
	close(jobs[1]);
	struct pollfd set[2] = {{gone[0], POLLIN, 0}, {jobs[0], POLLIN, 0}};
	char bytes[4];
	for (;;) {
		if (poll(set, 2, -1) < 0) // FROM main
			return 1;
		if (set[1].revents && read(jobs[0], bytes, 3) <= 0)
			break;
		if (set[0].revents & POLLHUP && argc > 1)
			set[0].fd = -1;
	}
	wait(NULL);
	return 0;
}
