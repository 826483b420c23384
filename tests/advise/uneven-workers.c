// finds: uneven-workers
// estimate: time is saved, not calls
// says: One of 4 workers
// Divides 84 parts of work among four processes: one gets nearly all of them. Corrected, each gets as many as the others.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Each part takes 10 ms. The workers sleep, so that they take as long on a busy machine.
static void work(int parts) {
	struct timespec time = { 0, parts * 10000000L };
	nanosleep(&time, NULL);
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
			work((argc > 1 ? even : uneven)[i]);
			_exit(0);
		}
	close(ready[0]);
	close(ready[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}
