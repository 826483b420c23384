/*
 * Makes very short calls, and between them calls of 10 ms and more: 20 that wait, and 20 that keep their CPU. Prints how many of the latter had
 * the CPU for more than 10 ms.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIZE (256 << 20)

/* The CPU time of this thread in nanoseconds. */
static long used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(void)
{
	struct timespec wait = { 0, 10500000 };
	char *buffer = malloc(SIZE);
	int zero = open("/dev/zero", O_RDONLY), copied = 0;

	for (int i = 0; i < 20; i++) {
		long before;

		for (int n = 0; n < 5000; n++)
			getppid();
		nanosleep(&wait, 0);
		before = used();
		read(zero, buffer, SIZE);
		copied += used() - before > 10200000;
	}
	printf("%d\n", copied);
	return 0;
}
