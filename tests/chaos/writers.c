/* writers THREADS CALLS: all threads make this many calls of getppid(2) at once, as fast as they can. Prints the time of the whole
 * and of the longest call, in microseconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t together;
static long calls;

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void *work(void *unused)
{
	long longest = 0, before = now();
	pthread_barrier_wait(&together);
	before = now();
	for (long i = 0; i < calls; i++) {
		syscall(SYS_getppid);
		long after = now();
		if (after - before > longest)
			longest = after - before;
		before = after;
	}
	return unused ? unused : (void *)longest;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 1;
	pthread_t ids[64];
	if (threads < 1 || threads > 64)
		return 9;
	calls = atol(argv[2]);
	pthread_barrier_init(&together, NULL, threads);
	long begin = now(), longest = 0;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, NULL))
			return 9;
	longest = (long)work(NULL);
	for (int i = 1; i < threads; i++) {
		void *one;
		pthread_join(ids[i], &one);
		if ((long)one > longest)
			longest = (long)one;
	}
	printf("%ld %ld\n", now() - begin, longest);
	return 0;
}
