// threads: 9
// told: 9 threads of process | (program) wait for one another, so none is left that could end a wait.
// told: and 5 more of
// All threads of a pool wait for work, and the only one that could give them some reads from a pipe that nobody else has.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static int fds[2];

static void *work(void *unused) {
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&has_work, &lock);
	return unused;
}

int main(void) {
	char request;
	pthread_t worker;
	if (pipe(fds))
		return 1;
	for (int i = 0; i < 8; i++)
		pthread_create(&worker, NULL, work, NULL);
	return read(fds[0], &request, 1) != 1;
}
