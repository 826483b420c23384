/* One thread waits for input and then for SIGUSR2. Another one makes many calls after SIGUSR1. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void wait_for(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigwaitinfo(&set, 0);
}

static void *flood(void *arg)
{
	wait_for(SIGUSR1);
	for (int i = 0; i < 5000; i++)
		getppid();
	pause();
	return arg;
}

int main(void)
{
	pthread_t other;
	sigset_t both;
	char c;

	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	sigprocmask(SIG_BLOCK, &both, 0);
	pthread_create(&other, 0, flood, 0);
	read(0, &c, 1);
	getppid();
	wait_for(SIGUSR2);
	return 0;
}
