// Changes its name by prctl(2) and by execve(2), also in a child, and sends signal 0 after each change.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void asks(void)
{
	kill(getpid(), 0);
}

int main(int argc, char **argv)
{
	asks();
	if (argc > 1)
		return 0;
	prctl(PR_SET_NAME, "second");
	asks();
	prctl(PR_SET_NAME, "longer than fifteen bytes");
	asks();
	execl("/nowhere", "nowhere", NULL);
	if (!fork()) {
		asks();
		prctl(PR_SET_NAME, "child");
		asks();
		execl("/proc/self/exe", "zeroth", "again", NULL);
	}
	wait(NULL);
	execl("/proc/self/exe", "zeroth", "again", NULL);
	return 1;
}
