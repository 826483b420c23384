// finds: threads-in-turn
// estimate: the calls are few, the beginnings take the time
// only: ebpf
// says: each after the end of the one before
// A worker with tables of its own is made for each of 40 documents. Corrected, one worker gets all of them.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { DOCUMENTS = 40, TABLE = 10 << 20 };

static long result;

static unsigned table[TABLE];

// The table without which no worker can begin.
static void prepare(void) {
	for (unsigned i = 0; i < TABLE; i++)
		table[i] = i * 2654435761u ^ i >> 3;
}

static void *work(void *documents) {
	prepare();
	for (long i = 0; i < (long)documents; i++)
		result += table[(result + i) % TABLE] & 7;
	return 0;
}

static void run(long documents) {
	pthread_t worker;
	if (pthread_create(&worker, 0, work, (void *)documents)) // FROM run
		exit(77);
	pthread_join(worker, 0);
}

int main(int argc, char **argv) {
	(void)argv;
	if (argc > 1)
		run(DOCUMENTS);
	for (int i = 0; argc == 1 && i < DOCUMENTS; i++)
		run(1);
	return result < 0;
}
