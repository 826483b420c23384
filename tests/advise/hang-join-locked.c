// finds: hang
// estimate: nothing is saved, but all is lost
// says: wait for each other: a deadlock
// says: the end of thread
// says: held by
// A child that joins a thread while it holds the lock that the thread wants, until an alarm ends it. Corrected, it unlocks first.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wants(void *unused) {
	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		sigset_t alarms;
		alarm(2);
		// The one that joins shall die first: the end of the other wakes it.
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarms, NULL);
		pthread_mutex_lock(&mutex);
		pthread_create(&thread, NULL, wants, NULL);
		if (argc > 1)
			pthread_mutex_unlock(&mutex);
		sigprocmask(SIG_UNBLOCK, &alarms, NULL);
		pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
