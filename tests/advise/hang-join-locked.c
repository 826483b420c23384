// finds: hang
// estimate: nothing is saved, but all is lost
// says: wait for each other: a deadlock
// says: the end of thread
// says: held by
// A child joins a thread while it holds the lock that the thread wants, until an alarm ends it. Corrected, it unlocks
// first.
#include "hang-join.h"

static void *joined(void *begun) {
	sem_post(begun);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void prepare(void) { pthread_mutex_lock(&mutex); }

static void correct(void) { pthread_mutex_unlock(&mutex); }
