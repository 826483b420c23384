// finds: interrupted
// estimate: how many signals come depends on the machine
// says: SIGALRM ended read of program
// says: and the program made the same call again
// A clock for the progress of a copy sends a signal fifty times as often as data come. Corrected, it does so twice a second.
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ticks;

static void tick(int number) {
	(void)number;
	ticks++;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (pipe(ends))
		return 1;
	char record[4096] = {0};
	if (fork() == 0) {
		for (int i = 0; i < 40; i++) {
			usleep(50000);
			if (write(ends[1], record, sizeof record) < 0)
				return 1;
		}
		return 0;
	}
	close(ends[1]);
	struct sigaction action = {.sa_handler = tick};
	sigaction(SIGALRM, &action, NULL);
	suseconds_t every = argc > 1 ? 500000 : 1000;
	struct itimerval timer = {{0, every}, {0, every}};
	setitimer(ITIMER_REAL, &timer, NULL);
	ssize_t got;
	do
		got = read(ends[0], record, sizeof record); // FROM main
	while (got > 0 || (got < 0 && errno == EINTR));
	timer.it_value.tv_usec = timer.it_interval.tv_usec = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	wait(NULL);
	return 0;
}
