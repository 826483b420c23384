// finds:
// estimate: nothing is found
// Two processes hand a record in a file to each other, and tell by signals for which each of them waits. These signals interrupt nothing, and the record is
// another one each time.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t came;

static void on_signal(int signal) {
	(void)signal;
	came = 1;
}

static void wait_for_signal(const sigset_t *others) {
	while (!came)
		sigsuspend(others);
	came = 0;
}

int main(void) {
	sigset_t usr1, others;
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &others);
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGUSR1, &action, NULL);
	int fd = open("record", O_CREAT | O_RDWR | O_TRUNC, 0600);
	pid_t parent = getpid(), child = fork();
	for (long i = 0; i < 3000; i++) {
		long record = i;
		if (child) {
			if (pwrite(fd, &record, sizeof record, 0) != sizeof record)
				return 1;
			kill(child, SIGUSR1);
			wait_for_signal(&others);
		} else {
			wait_for_signal(&others);
			if (pread(fd, &record, sizeof record, 0) != sizeof record || record != i)
				_exit(1);
			kill(parent, SIGUSR1);
		}
	}
	if (!child)
		_exit(0);
	int status;
	waitpid(child, &status, 0);
	return status != 0;
}
