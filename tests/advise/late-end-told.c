// finds:
// estimate: nothing is found
// A service has had nothing to do for a while when it is told to end. That is no late end.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 100, IDLE_MS = 1500 };

static volatile sig_atomic_t ends;

static void told(int signal) {
	ends = signal;
}

static void serve(void) {
	char byte;
	int file = open("/proc/self/stat", O_RDONLY);
	if (file < 0 || read(file, &byte, 1) != 1)
		_exit(77);
	close(file);
}

int main(void) {
	int ends_of_pipe[2];
	struct sigaction action = {.sa_handler = told};
	if (sigaction(SIGTERM, &action, NULL) || pipe(ends_of_pipe))
		return 77;
	for (int i = 0; i < REQUESTS; i++)
		serve();
	pid_t service = getpid();
	pid_t user = fork();
	if (user == 0) {
		struct pollfd nothing = {ends_of_pipe[0], POLLIN, 0};
		poll(&nothing, 1, IDLE_MS);
		_exit(kill(service, SIGTERM));
	}
	struct pollfd work = {ends_of_pipe[0], POLLIN, 0};
	while (!ends)
		poll(&work, 1, 100);
	return waitpid(user, NULL, 0) != user;
}
