// finds: hand-overs
// estimate: no calls are claimed, because others may take their place
// only: ebpf
// record: --waits
// says: handed each piece of work to another thread and waited until that piece was done
// A thread hands each number to another thread by eventfd(2), and waits for its square. Corrected, it hands 4,000 numbers over at a
// time.
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { NUMBERS = 20000, AT_ONCE = 4000 };

static int work, done, step;
static volatile long numbers[AT_ONCE];

static void wake(int counter) {
	uint64_t one = 1;
	if (write(counter, &one, 8) != 8)
		_exit(1);
}

static void await(int counter) {
	uint64_t count;
	if (read(counter, &count, 8) != 8)
		_exit(1);
}

static void *square(void *unused) {
	for (int i = 0; i < NUMBERS; i += step) {
		await(work);
		for (int k = 0; k < step; k++)
			numbers[k] *= numbers[k];
		wake(done);
	}
	return unused;
}

int main(int argc, char **argv) {
	(void)argv;
	step = argc > 1 ? AT_ONCE : 1;
	work = eventfd(0, 0);
	done = eventfd(0, 0);
	pthread_t worker;
	pthread_create(&worker, NULL, square, NULL);
	for (int i = 0; i < NUMBERS; i += step) {
		for (int k = 0; k < step; k++)
			numbers[k] = i + k;
		wake(work);
		await(done);
	}
	return pthread_join(worker, NULL);
}
