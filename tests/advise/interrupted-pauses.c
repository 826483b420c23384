// finds: interrupted
// estimate: the interrupted exchanges are made anew
// says: SIGALRM ended read of program
// A heartbeat without SA_RESTART interrupts reads. The program takes that for a failure, pauses, and asks again. Corrected, the
// reads go on.
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { EXCHANGES = 50 };

static void beat(int signal) {
	(void)signal;
}

static int exchange(int meter) {
	char answer;
	return write(meter, "?", 1) == 1 && read(meter, &answer, 1) == 1;
}

// Sleeps on after a signal.
static void pause_for(useconds_t time) {
	struct timespec rest = {0, time * 1000L};
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 77;
	if (fork() == 0) {
		char question;
		close(ends[1]);
		while (read(ends[0], &question, 1) == 1) {
			usleep(15000);
			if (write(ends[0], &question, 1) != 1)
				return 0;
		}
		return 0;
	}
	close(ends[0]);
	struct sigaction action = {.sa_handler = beat, .sa_flags = argc > 1 ? SA_RESTART : 0};
	struct itimerval often = {{0, 25000}, {0, 25000}};
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	for (int done = 0; done < EXCHANGES;) {
		if (exchange(ends[1]))
			done++;
		else
			pause_for(40000);
	}
	return 0;
}
