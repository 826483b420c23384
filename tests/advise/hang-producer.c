// finds: hang
// estimate: nothing is saved, but all is lost
// says: without a time limit for another thread to wake it, but no other thread is left: thread
// says: (producer)
// never: deadlock
// A child takes items from a queue whose producer, its only other thread, has ended, until an alarm ends the child.
// Corrected, the producer says that it ends.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int items, ended, corrected;

static void *produce(void *unused) {
	pthread_setname_np(pthread_self(), "producer");
	for (int i = 0; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		if (i < ITEMS)
			items++;
		else
			ended = corrected;
		pthread_cond_signal(&news);
		pthread_mutex_unlock(&mutex);
		usleep(10000);
	}
	return unused;
}

static int consume(void) {
	int taken = 0;
	pthread_mutex_lock(&mutex);
	while (!ended || items) {
		while (!items && !ended)
			pthread_cond_wait(&news, &mutex);
		if (items) {
			items--;
			taken++;
		}
	}
	pthread_mutex_unlock(&mutex);
	return taken;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		if (!corrected)
			alarm(3);
		if (pthread_create(&thread, NULL, produce, NULL) || pthread_detach(thread))
			_exit(1);
		_exit(consume() != ITEMS);
	}
	return waitpid(child, NULL, 0) != child;
}
