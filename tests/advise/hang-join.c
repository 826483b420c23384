// finds: hang
// estimate: nothing is saved, but all is lost
// says: the end of thread
// says: (worker)
// never: lock 0x
// never: held by
// A child that joins a thread which waits at a condition variable for work that never comes, until an alarm ends it. Corrected, it
// tells the thread that there is none.
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int done;

static void *worker(void *unused) {
	(void)unused;
	prctl(PR_SET_NAME, "worker");
	pthread_mutex_lock(&mutex);
	while (!done)
		pthread_cond_wait(&news, &mutex);
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
		pthread_create(&thread, NULL, worker, NULL);
		if (argc > 1) {
			pthread_mutex_lock(&mutex);
			done = 1;
			pthread_cond_signal(&news);
			pthread_mutex_unlock(&mutex);
		}
		sigprocmask(SIG_UNBLOCK, &alarms, NULL);
		pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
