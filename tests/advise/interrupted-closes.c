// finds: interrupted
// estimate: the interrupted exchanges are made anew
// says: SIGALRM ended read of program
// A progress timer without SA_RESTART interrupts reads. The program takes that for the end of its connection, closes it, pauses, and makes another one. Corrected,
// the reads go on.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXCHANGES = 50 };

static struct sockaddr_un address = {AF_UNIX, "gateway"};

static void tick(int signal) {
	(void)signal;
}

// Sleeps on after a signal.
static void pause_for(useconds_t time) {
	struct timespec rest = {0, time * 1000L};
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

// For 12 ms: the program does not only wait for answers.
static void compute(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long until = now.tv_sec * 1000000 + now.tv_nsec / 1000 + 12000;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec * 1000000 + now.tv_nsec / 1000 < until);
}

static int serve(int server) {
	char question;
	for (;;) {
		int client = accept(server, NULL, NULL);
		while (read(client, &question, 1) == 1) {
			if (question == 'q')
				return 0;
			usleep(6000);
			if (send(client, &question, 1, MSG_NOSIGNAL) != 1)
				break;
		}
		close(client);
	}
}

static int gateway(void) {
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	while (connect(client, (struct sockaddr *)&address, sizeof address))
		pause_for(1000);
	return client;
}

int main(int argc, char **argv) {
	(void)argv;
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 8))
		return 1;
	if (fork() == 0)
		return serve(server);
	struct sigaction action = {.sa_handler = tick, .sa_flags = argc > 1 ? SA_RESTART : 0};
	struct itimerval often = {{0, 17000}, {0, 17000}};
	sigaction(SIGALRM, &action, 0);
	setitimer(ITIMER_REAL, &often, 0);
	int client = gateway();
	char answer;
	// (Not without end, whatever a tracer does to the times.)
	for (int done = 0, tries = 0; done < EXCHANGES && tries < 4 * EXCHANGES; tries++) {
		if (write(client, "?", 1) == 1 && read(client, &answer, 1) == 1) {
			compute();
			done++;
			continue;
		}
		close(client);
		pause_for(41000);
		client = gateway();
	}
	if (write(client, "q", 1) != 1)
		return 1;
	unlink("gateway");
	while (wait(NULL) < 0 && errno == EINTR)
		;
	return 0;
}
