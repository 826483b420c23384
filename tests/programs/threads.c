/*
 * Starts argv[1] threads, writes a line when all are there, and ends when its input does. With argv[2], it starts argv[1] short
 * processes, or threads that each make 250 calls.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t there;

static void *thread(void *end)
{
	char c;

	pthread_barrier_wait(&there);
	if (!end) {
		for (int i = 0; i < 250; i++)
			getppid();
		return NULL;
	}
	/* The threads sleep until the descriptor is closed. */
	read(*(int *)end, &c, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), ends[2];
	pthread_t *ids = calloc(n, sizeof(*ids));
	pthread_attr_t small;
	char c;

	if (argc > 2 && strcmp(argv[2], "calls")) {
		for (int i = 0; i < n; i++) {
			if (!fork())
				_exit(0);
			/* At most 100 run at a time. */
			if (i >= 100)
				wait(NULL);
		}
		while (wait(NULL) > 0)
			;
		return 0;
	}
	if (pipe(ends))
		return 1;
	pthread_barrier_init(&there, NULL, n + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (int i = 0; i < n; i++)
		if (pthread_create(ids + i, &small, thread, argc > 2 ? NULL : ends))
			return 2;
	pthread_barrier_wait(&there);
	if (argc == 2) {
		write(1, "\n", 1);
		read(0, &c, 1);
	}
	close(ends[1]);
	for (int i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
