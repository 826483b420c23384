// finds: uneven-workers
// estimate: time is saved, not calls
// says: One of 4 workers
// says: the others were done after
// Hands 40 parts of work to four processes, which then wait for more until they are ended, as those of a pool do: one gets nearly all parts. Corrected, each gets as
// many as the others.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4

// Each part takes 10 ms. The workers sleep, so that they take as long on a busy machine.
static void work(int in, int out) {
	int parts;
	while (read(in, &parts, sizeof parts) == sizeof parts) {
		struct timespec time = {0, parts * 10000000L};
		nanosleep(&time, NULL);
		if (write(out, &parts, sizeof parts) < 0)
			break;
	}
	_exit(0);
}

int main(int argc, char **argv) {
	(void)argv;
	int uneven[WORKERS] = {37, 1, 1, 1}, even[WORKERS] = {10, 10, 10, 10};
	int results[2], orders[WORKERS][2], parts;
	pid_t workers[WORKERS];
	if (pipe(results))
		return 1;
	for (int i = 0; i < WORKERS; i++) {
		if (pipe(orders[i]))
			return 1;
		if ((workers[i] = fork()) == 0)
			work(orders[i][0], results[1]);
	}
	for (int i = 0; i < WORKERS; i++)
		if (write(orders[i][1], argc > 1 ? &even[i] : &uneven[i], sizeof parts) < 0)
			return 1;
	for (int i = 0; i < WORKERS; i++)
		if (read(results[0], &parts, sizeof parts) < 0)
			return 1;
	for (int i = 0; i < WORKERS; i++)
		kill(workers[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	return 0;
}
