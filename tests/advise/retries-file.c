// finds: retries
// says: was looked for
// never: connect
// Waits for a file that another process makes by looking for it; corrected, the process says through a pipe that the file
// is there.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	struct stat st;
	int there[2];
	char c;
	if (pipe(there))
		return 1;
	pid_t maker = fork();
	if (maker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		// Asleep for as long as a few hundred looks take.
		usleep(600000);
		close(open("flag", O_CREAT | O_WRONLY, 0644));
		_exit(write(there[1], "x", 1) != 1);
	}
	if (argc > 1) {
		if (read(there[0], &c, 1) != 1)
			return 1;
	} else
		while (stat("flag", &st) != 0)
			usleep(1000);
	waitpid(maker, NULL, 0);
	return 0;
}
