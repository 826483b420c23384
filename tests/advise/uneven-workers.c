// finds: uneven-workers
// estimate: time is saved, not calls
// says: One of 4 workers
// Divides 84 parts of work among four processes: one gets nearly all of them. Corrected, each gets as many as the others.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Computes, without a call.
static void part(void) {
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 10000000);
}

int main(int argc, char **argv) {
	(void)argv;
	int uneven[] = {3, 3, 3, 75}, even[] = {21, 21, 21, 21};
	int ready[2];
	char c;
	if (pipe(ready))
		return 1;
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			close(ready[1]);
			// All begin when the last has been made.
			if (read(ready[0], &c, 1) != 0)
				_exit(1);
			for (int n = (argc > 1 ? even : uneven)[i]; n > 0; n--)
				part();
			_exit(0);
		}
	close(ready[0]);
	close(ready[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}
