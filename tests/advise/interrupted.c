// finds: interrupted
// estimate: no call is saved, only waiting
// says: SIGALRM ended read of program
// A timer's signal ends most reads of a client, which then begins its request again. Corrected, the signal is blocked.
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void tick(int signal) {
	(void)signal;
	ticks++;
}

static int answer(int client) {
	char question;
	while (read(client, &question, 1) == 1) {
		usleep(3000);
		if (write(client, &question, 1) != 1)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv) {
	int ends[2];
	(void)argv;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	if (fork() == 0) {
		close(ends[1]);
		return answer(ends[0]);
	}
	close(ends[0]);
	struct sigaction action = {.sa_handler = tick};
	sigaction(SIGALRM, &action, NULL);
	if (argc > 1) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
	struct itimerval every = {{0, 1000}, {0, 1000}};
	setitimer(ITIMER_REAL, &every, NULL);
	for (int asked = 0; asked < 100; asked++) {
		char question = 'q';
		if (write(ends[1], &question, 1) != 1)
			return 1;
		if (read(ends[1], &question, 1) < 0 && errno != EINTR)
			return 1;
	}
	struct itimerval none = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &none, NULL);
	close(ends[1]);
	return wait(NULL) < 0;
}
