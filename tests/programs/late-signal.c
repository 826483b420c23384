/* Sends a signal to a child that has ended and is not reaped yet. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	kill(child, SIGUSR1);
	waitpid(child, 0, 0);
	return 0;
}
