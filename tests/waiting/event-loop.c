// An event loop waits for the results of a thread, which sleeps before each of them.
// told: asleep in clock_nanosleep
// told: waited for that in epoll_wait
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int results;

static void *work(void *unused)
{
	struct timespec pause = { 0, 30000000 };
	uint64_t one = 1;

	for (int i = 0; i < 10; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		if (write(results, &one, sizeof(one)) != sizeof(one))
			break;
	}
	return unused;
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int loop = epoll_create1(0);
	pthread_t worker;
	uint64_t count, all = 0;

	results = eventfd(0, EFD_NONBLOCK);
	epoll_ctl(loop, EPOLL_CTL_ADD, results, &event);
	pthread_create(&worker, NULL, work, NULL);
	while (all < 10) {
		epoll_wait(loop, &event, 1, -1);
		if (read(results, &count, sizeof(count)) == sizeof(count))
			all += count;
	}
	return pthread_join(worker, NULL);
}
