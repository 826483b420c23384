// case: a thread is made and joined for each of 3000 small tasks
// first: thread
// first: short|each|lived|per task|made
// useful: thread
// saves: calls
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static long sum[3000];

static void *task(void *arg) {
	long n = (long)arg;
	for (int i = 0; i < 200; i++)
		sum[n] += i * n;
	return NULL;
}

static void *worker(void *arg) {
	for (long i = (long)arg; i < 3000; i += 2)
		task((void *)i);
	return NULL;
}

int main(int argc, char **argv) {
	pthread_t t[2];
	if (argc > 1 && strcmp(argv[1], "corrected") == 0) {
		for (long i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, worker, (void *)i);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	} else {
		for (long i = 0; i < 3000; i += 2) {
			for (long j = 0; j < 2; j++)
				pthread_create(&t[j], NULL, task, (void *)(i + j));
			for (int j = 0; j < 2; j++)
				pthread_join(t[j], NULL);
		}
	}
	printf("%ld\n", sum[2999]);
	return 0;
}
