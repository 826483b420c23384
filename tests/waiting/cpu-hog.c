// The program has one CPU, on which two other processes compute all the time.
// told: waiting for a CPU
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t hog(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, "hog");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	return pid;
}

int main(void)
{
	volatile unsigned long sum = 0;
	pid_t hogs[2];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < 2; i++)
		hogs[i] = hog();
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 500000; i++)
			sum += i;
		getppid();
	}
	for (int i = 0; i < 2; i++) {
		kill(hogs[i], SIGKILL);
		waitpid(hogs[i], NULL, 0);
	}
	return 0;
}
