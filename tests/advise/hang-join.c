// finds: hang
// estimate: nothing is saved, but all is lost
// says: the end of thread
// says: (worker)
// never: lock 0x
// never: held by
// A child joins a thread that waits at a condition variable for work that never comes, until an alarm ends the child.
// Corrected, the child tells the thread that there is no work.
#include "hang-join.h"
#include <sys/prctl.h>

static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int done;

static void *joined(void *begun) {
	prctl(PR_SET_NAME, "worker");
	pthread_mutex_lock(&mutex);
	sem_post(begun);
	while (!done)
		pthread_cond_wait(&news, &mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void prepare(void) {}

static void correct(void) {
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&mutex);
}
