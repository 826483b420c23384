// finds: timer-wakes
// only: ebpf
// says: A timer woke a thread of
// says: and the thread did nothing but wait again.
// A gateway takes messages from a pipe, and looks each 200 us whether a session has expired. Corrected, it looks once in a second.
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 40 };

int main(int argc, char **argv) {
	(void)argv;
	int ends[2], messages = 0;
	if (pipe(ends))
		return 77;
	if (fork() == 0) {
		close(ends[0]);
		for (int i = 0; i < MESSAGES; i++) {
			usleep(20000);
			if (write(ends[1], "temp=21.5\n", 10) != 10)
				return 1;
		}
		return 0;
	}
	close(ends[1]);
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec often = {{0, 200000}, {0, 200000}}, rarely = {{1, 0}, {1, 0}};
	timerfd_settime(timer, 0, argc > 1 ? &rarely : &often, 0);
	struct pollfd polled[] = {{.fd = ends[0], .events = POLLIN}, {.fd = timer, .events = POLLIN}};
	for (;;) {
		uint64_t expirations;
		char message[16];
		poll(polled, 2, -1); // FROM main
		if (polled[1].revents && read(timer, &expirations, sizeof expirations) != sizeof expirations)
			return 1;
		if (!polled[0].revents)
			continue;
		if (read(ends[0], message, 10) != 10)
			break;
		messages++;
	}
	wait(0);
	return messages != MESSAGES;
}
