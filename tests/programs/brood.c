// Starts and reaps as many children as the argument says, a few at a time. Each makes some calls and ends.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 20
#define CALLS 3

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 1, running = 0;

	while (left > 0 || running > 0) {
		if (left > 0 && running < AT_ONCE) {
			pid_t child = fork();

			if (child < 0)
				return 1;
			if (child == 0) {
				for (int i = 0; i < CALLS; i++)
					getppid();
				_exit(0);
			}
			left--;
			running++;
		} else if (wait(NULL) > 0) {
			running--;
		} else {
			return 1;
		}
	}
	return 0;
}
