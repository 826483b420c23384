// finds: uneven-workers
// estimate: how many threads compute at a time depends on the machine
// says: One of 4 threads
// Divides 72 parts of work among four threads by a key, and one of them gets nearly all. Corrected, they take the next part from one counter.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { THREADS = 4, PARTS = 72, ROUNDS = 24000000 };

static atomic_int next;
static int corrected;

static void compute(void) {
	volatile unsigned sum = 0;
	for (int i = 0; i < ROUNDS; i++)
		sum += i;
}

// Most have the same key.
static int owner(int part) { return part % 24 ? 0 : 1 + part / 24 % (THREADS - 1); }

static void *work(void *arg) {
	int me = (int)(long)arg;
	if (corrected)
		while (next++ < PARTS)
			compute();
	else
		for (int part = 0; part < PARTS; part++)
			if (owner(part) == me)
				compute();
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(long)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
