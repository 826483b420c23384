// finds: lost-time
// estimate: no call is saved, only waiting
// says: worker slept
// A child of another name looks for work in memory, and sleeps in epoll_wait(2) between the looks, as the runtimes of Go and Node.js do. Its parent waits for its end, as a
// shell does. Corrected, the child does not sleep.
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	if (fork() == 0) {
		struct epoll_event event;
		prctl(PR_SET_NAME, "worker");
		int timers = epoll_create1(0);
		for (int i = 0; i < 40; i++)
			epoll_wait(timers, &event, 1, argc > 1 ? 0 : 20);
		_exit(0);
	}
	return wait(NULL) < 0;
}
