// finds: taking-turns
// estimate: the processes also make calls that are not about the others
// says: 3 processes, such as program (pid
// says: took turns, as processes do at a lock: they waited
// Processes call a slow service while they hold a System V semaphore. Corrected, they call the service before they take the semaphore.
#define _GNU_SOURCE
#include <poll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 3
#define TIMES 100

/* A connection to the service. */
static struct pollfd service = {-1, POLLIN, 0};

static int set;

static void add(int n) {
	struct sembuf change = {0, n, SEM_UNDO};
	semop(set, &change, 1);
}

static void work(int corrected) {
	for (int i = 0; i < TIMES; i++) {
		if (corrected)
			poll(&service, 1, 2); // The service takes its time.
		add(-1);
		if (!corrected)
			usleep(2000);
		add(1);
		/* The next one gets the semaphore. */
		usleep(200);
	}
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	service.fd = ends[0];
	set = semget(IPC_PRIVATE, 1, 0600);
	if (set < 0)
		return 1;
	add(1);
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			work(argc > 1);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	semctl(set, 0, IPC_RMID);
	return 0;
}
