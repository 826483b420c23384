// finds: interrupted
// says: SIGPROF came to
// says: while it computed
// A timer sends a signal every 200 us while the program computes. Corrected, there is one signal in 20 ms.
// The handler ends the storm: a tracer that takes longer than 200 us to show a signal would else let nothing but
// handlers run, for ever.
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static timer_t timer;
static volatile sig_atomic_t ticks;

static void tick(int signal) {
	(void)signal;
	if (++ticks == 3000)
		timer_settime(timer, 0, &(struct itimerspec){0}, 0);
}

static double now(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
	(void)argv;
	struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	struct itimerspec often = {{0, argc > 1 ? 20000000 : 200000}, {0, 200000}};
	sigaction(SIGPROF, &action, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &often, 0))
		return 1;
	// (A loaded machine needs longer for the 3000 signals.)
	for (double until = now() + 0.6; now() < until || (argc == 1 && ticks < 3000);)
		;
	return 0;
}
