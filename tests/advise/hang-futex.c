// finds: hang
// estimate: nothing is saved, but all is lost
// says: futex 0x
// never: lock
// never: condition
// never: deadlock
// never: the end of thread
// The threads of a child wait at a barrier, a semaphore and a condition variable that no thread will signal, until an
// alarm ends the child. Calls do not show which is which, so the advice must not guess. Corrected, all of them are
// signalled.
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int done;

static void *at_barrier(void *unused) {
	// The kernel sees the value 2 in the second round, as in a lock's wait.
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void *at_semaphore(void *unused) {
	sem_wait(&semaphore);
	return unused;
}

static void *at_condition(void *unused) {
	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_wait(&news, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(int argc, char **argv) {
	(void)argv;
	pid_t child = fork();
	if (child == 0) {
		pthread_t threads[3];
		void *(*what[3])(void *) = {at_barrier, at_semaphore, at_condition};
		pthread_barrier_init(&barrier, NULL, 2);
		sem_init(&semaphore, 0, 0);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, what[i], NULL);
		pthread_barrier_wait(&barrier);
		if (argc == 1) {
			// The measured time begins here, however long the start took.
			alarm(3);
			pause();
		}
		pthread_barrier_wait(&barrier);
		sem_post(&semaphore);
		pthread_mutex_lock(&mutex);
		done = 1;
		pthread_cond_broadcast(&news);
		pthread_mutex_unlock(&mutex);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
