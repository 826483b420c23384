// threads: 3
// told: program ( | waits for a lock that thread | of another process held when fork(2) copied the memory
// not told: deadlock
// A child wants a lock that another thread of its parent had when the child was made.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
	pthread_mutex_lock(&lock);
	pause();
	return unused;
}

int main(void) {
	pthread_t worker;
	pthread_create(&worker, NULL, work, NULL);
	usleep(200000);
	if (fork() == 0) {
		pthread_mutex_lock(&lock);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
