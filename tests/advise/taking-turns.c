// finds: taking-turns
// estimate: the threads also make calls that are not about the others
// says: 3 threads of program (pid
// says: took turns, as threads do at a lock: they were parked
// Threads call a slow service under a lock of a language's runtime, which parks each waiting thread at a word of its own and
// hands the lock to the next one. Corrected, they call the service at the same time.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 3
#define TIMES 100

static atomic_int words[THREADS];
static int corrected;

static void park(atomic_int *word) {
	while (atomic_load(word) == 0)
		syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
	atomic_store(word, 0);
}

static void unpark(atomic_int *word) {
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

static void *work(void *arg) {
	long me = (long)arg;
	for (int i = 0; i < TIMES; i++) {
		if (!corrected)
			park(&words[me]);
		usleep(2000);
		if (!corrected)
			unpark(&words[(me + 1) % THREADS]);
	}
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	pthread_t threads[THREADS];
	corrected = argc > 1;
	words[0] = 1;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
