// finds: hang
// estimate: nothing is saved, but all is lost
// The threads of a child take two locks in different orders, until an alarm ends it.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void take(pthread_mutex_t *a, pthread_mutex_t *b, int wait) {
	pthread_mutex_lock(a);
	if (wait) {
		pthread_barrier_wait(&both);
		// The measured time begins here, however long the start took.
		alarm(3);
	}
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

static void *other(void *corrected) {
	if (corrected)
		take(&first, &second, 0);
	else
		take(&second, &first, 1);
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	int corrected = argc > 1;
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		pthread_barrier_init(&both, NULL, 2);
		pthread_create(&thread, NULL, other, corrected ? argv : NULL);
		take(&first, &second, !corrected);
		pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
