// finds: hang
// estimate: nothing is saved, but all is lost
// says: wait for each other: a deadlock
// says: /one, locked by
// Two processes take two file locks in opposite order, until an alarm ends both. Corrected, both take them in the same
// order.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

// Ends all processes at once: if one were left, it would get the lock.
static void end(int signal) {
	(void)signal;
	kill(0, SIGKILL);
}

static int job(int corrected) {
	int has[2], go[2];
	char c;
	setpgid(0, 0);
	signal(SIGALRM, end);
	if (pipe(has) || pipe(go))
		return 1;
	close(open("one", O_CREAT | O_RDWR, 0600));
	close(open("two", O_CREAT | O_RDWR, 0600));
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			int first = open(i == 0 || corrected ? "one" : "two", O_RDWR);
			int second = open(i == 0 || corrected ? "two" : "one", O_RDWR);
			if (!corrected) {
				flock(first, LOCK_EX);
				if (write(has[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
					_exit(1);
			} else
				flock(first, LOCK_EX);
			flock(second, LOCK_EX);
			_exit(0);
		}
	for (int i = 0; i < 2 && !corrected; i++)
		if (read(has[0], &c, 1) != 1)
			return 1;
	alarm(corrected ? 0 : 3);
	if (write(go[1], "xx", 2) != 2)
		return 1;
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	pid_t child = fork();
	if (child == 0)
		_exit(job(argc > 1));
	waitpid(child, NULL, 0);
	return 0;
}
