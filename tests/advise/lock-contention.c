// finds: lock-contention
// Threads count words in one table, and hold its lock while they look for them.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 400

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long table[64];
static int corrected;

// Some 500 microseconds.
static unsigned long work(unsigned long seed) {
	for (int i = 0; i < 500000; i++)
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed;
}

static void *count(void *arg) {
	unsigned long own[64] = {0}, seed = (unsigned long)arg;
	for (int i = 0; i < ROUNDS; i++) {
		if (corrected) {
			seed = work(seed);
			own[seed >> 58]++;
			continue;
		}
		pthread_mutex_lock(&lock);
		seed = work(seed);
		table[seed >> 58]++;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 64; i++)
		table[i] += own[i];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv) {
	(void)argv;
	corrected = argc > 1;
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unsigned long sum = 0;
	for (int i = 0; i < 64; i++)
		sum += table[i];
	return sum == THREADS * ROUNDS ? 0 : 1;
}
