// A timer that sends a signal each millisecond breaks the program's sleep into pieces.
// told: asleep in clock_nanosleep
// told: ended by a signal
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static void tick(int signal)
{
	(void)signal;
}

int main(void)
{
	struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
	struct timespec left = { 0, 500000000 };

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &each, NULL);
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
	return 0;
}
