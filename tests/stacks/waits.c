/* Waits for a child that ends while its parent waits. Nobody asked for SIGCHLD, so the kernel drops the signal. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int sleeps(int pid)
{
	char path[64], state = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = fopen(path, "r");
	if (!stat || fscanf(stat, "%*d %*s %c", &state) != 1)
		return 1;
	fclose(stat);
	return state == 'S';
}

int main(void)
{
	int parent = getpid();

	if (!fork()) {
		while (!sleeps(parent))
			usleep(1000);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
