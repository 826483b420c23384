// A child that joins a thread, until an alarm ends it. A program says what the thread does, what the one that joins does before it
// makes the thread, and what lets the thread end.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *joined(void *begun);
static void prepare(void);
static void correct(void);

int main(int argc, char **argv) {
	(void)argv;
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		sem_t begun;
		sigset_t alarms;
		// The one that joins shall die first: the end of the other wakes it.
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarms, NULL);
		sem_init(&begun, 0, 0);
		prepare();
		pthread_create(&thread, NULL, joined, &begun);
		// The time that counts begins when both wait, however long that takes.
		sem_wait(&begun);
		if (argc > 1)
			correct();
		sigprocmask(SIG_UNBLOCK, &alarms, NULL);
		alarm(3);
		pthread_join(thread, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
