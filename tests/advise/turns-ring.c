// finds: taking-turns
// estimate: the processes also make calls that are not about the others
// says: 3 processes, such as program (pid
// says: took turns, in a ring of pipes: they waited
// Processes in a ring of pipes work only while they have a token, which goes round. Corrected, each process works when it can.
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 3
#define TIMES 100

static long now(void) {
	struct timespec at;
	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

// For 2 ms.
static void compute(void) {
	for (long until = now() + 2000; now() < until;)
		;
}

static int work(int from, int to, int corrected) {
	static char result[4096];
	char token, name[20];
	snprintf(name, sizeof name, "result-%d", to);
	int out = open(name, O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < TIMES; i++) {
		if (!corrected && read(from, &token, 1) != 1)
			return 1;
		compute();
		if (write(out, result, sizeof result) != sizeof result)
			return 1;
		if (!corrected && write(to, &token, 1) != 1)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	int pipes[PROCESSES][2];
	for (int i = 0; i < PROCESSES; i++)
		if (pipe(pipes[i]))
			return 1;
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			return work(pipes[i][0], pipes[(i + 1) % PROCESSES][1], argc > 1);
	if (argc == 1 && write(pipes[0][1], "t", 1) != 1)
		return 1;
	while (wait(NULL) > 0)
		;
	return 0;
}
