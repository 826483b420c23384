/*
 * Computes for 3 ms and then sleeps for 2 ms, 50 times, always on one CPU. Prints the CPU time of the whole in seconds, nearly all of
 * which is outside calls.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

int main(void)
{
	struct timespec wait = { 0, 2000000 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < 50; i++) {
		double until = now(CLOCK_MONOTONIC) + 0.003;

		while (now(CLOCK_MONOTONIC) < until)
			;
		nanosleep(&wait, 0);
	}
	printf("%f\n", now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
