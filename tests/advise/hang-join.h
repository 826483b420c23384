// A child joins a thread, until an alarm ends it. The including program defines what the thread does, what the joining
// thread does before it makes the thread, and what lets the thread end.
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
		// The joining thread must die first, because the end of the other thread would wake it.
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarms, NULL);
		sem_init(&begun, 0, 0);
		prepare();
		pthread_create(&thread, NULL, joined, &begun);
		// The measured time begins when both threads wait, however long that takes.
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
