// threads: 4
// told: Where the
// not told: [hang]
// A server is at work for a client, and two of its threads have nothing to do: nothing hangs.
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused) {
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&work, &lock);
	return unused;
}

int main(void) {
	char request;
	int ends[2];
	pthread_t workers[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (fork() == 0) {
		close(ends[0]);
		while (write(ends[1], "?", 1) == 1 && read(ends[1], &request, 1) == 1)
			usleep(3000);
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	int log = open("/dev/null", O_WRONLY);
	while (read(ends[0], &request, 1) == 1)
		if (write(log, &request, 1) != 1 || write(ends[0], "!", 1) != 1)
			return 1;
	return 0;
}
