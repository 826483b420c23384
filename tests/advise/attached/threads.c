// Two threads wait for a signal; with an argument, one.
#include <pthread.h>
#include <unistd.h>

static void *waits(void *unused) {
	pause();
	return unused;
}

int main(int argc, char **argv) {
	(void)argv;
	pthread_t thread;
	// The test that waits for this program may be gone.
	alarm(60);
	if (argc == 1)
		pthread_create(&thread, NULL, waits, NULL);
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	pause();
	return 0;
}
