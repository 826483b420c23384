// finds: lock-contention
// estimate: the threads wait for a service
// says: while they had it, they were in read for
// never: timed-waits
// Four threads, each with a connection of its own, ask a service while they have one lock. Corrected, each asks without the lock.
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, QUESTIONS = 50, WORK_MS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int connections[THREADS], corrected;

// The service waits for something of its own before it answers.
static void *serve(void *connection) {
	int fd = *(int *)connection, work[2];
	char question;
	if (pipe(work))
		return connection;
	while (read(fd, &question, 1) == 1) {
		struct pollfd done = {work[0], POLLIN, 0};
		poll(&done, 1, WORK_MS);
		if (write(fd, &question, 1) != 1)
			break;
	}
	return NULL;
}

static int ask(int fd) {
	char answer = 'q';
	return write(fd, &answer, 1) != 1 || read(fd, &answer, 1) != 1; // FROM ask
}

static void *asks(void *connection) {
	int fd = *(int *)connection;
	for (int i = 0; i < QUESTIONS; i++) {
		if (!corrected)
			pthread_mutex_lock(&lock);
		if (ask(fd))
			_exit(1);
		if (!corrected)
			pthread_mutex_unlock(&lock);
	}
	close(fd);
	return NULL;
}

static int all(void *(*run)(void *)) {
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &connections[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	int theirs[THREADS];
	for (int i = 0; i < THREADS; i++) {
		int ends[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return 1;
		connections[i] = ends[0];
		theirs[i] = ends[1];
	}
	pid_t service = fork();
	if (service == 0) {
		for (int i = 0; i < THREADS; i++) {
			close(connections[i]);
			connections[i] = theirs[i];
		}
		_exit(all(serve));
	}
	for (int i = 0; i < THREADS; i++)
		close(theirs[i]);
	all(asks);
	return waitpid(service, 0, 0) != service;
}
