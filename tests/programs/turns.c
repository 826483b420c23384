/* Two threads make calls in turn, each as soon as the other's call has returned. The argument is the turn's number. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int turn;

static void *play(void *first)
{
	for (int i = (long)first; i < 300; i += 2) {
		while (atomic_load(&turn) != i)
			;
		/* The call fails, because there are no such descriptors. */
		close(100000 + i);
		atomic_store(&turn, i + 1);
	}
	return 0;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, 0, play, (void *)1);
	play((void *)0);
	pthread_join(other, 0);
	return 0;
}
