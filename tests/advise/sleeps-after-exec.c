// finds: lost-time
// estimate: no call is saved, only waiting
// says: [lost-time]: exe slept
// A wrapper reads the answer of a child from a pipe and then executes a program that sleeps again and again, as an event loop with one task does. Corrected, the
// tasks sleep at the same time.
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS 40

static int ask_child(void) {
	int ends[2];
	char answer;
	if (pipe(ends) != 0)
		return 1;
	pid_t child = fork();
	if (child == 0)
		_exit(write(ends[1], "a", 1) != 1);
	int got = read(ends[0], &answer, 1) == 1;
	close(ends[0]);
	close(ends[1]);
	return waitpid(child, NULL, 0) != child || !got;
}

int main(int argc, char **argv) {
	int corrected = argc > 1 && strcmp(argv[1], "corrected") == 0;
	if (argc == 1 || corrected) {
		if (ask_child() == 0)
			execl("/proc/self/exe", argv[0], corrected ? "well" : "wasteful", NULL);
		return 1;
	}
	int timers = epoll_create1(0);
	struct epoll_event event;
	for (int i = 0; i < (strcmp(argv[1], "wasteful") == 0 ? TASKS : 1); i++)
		if (epoll_wait(timers, &event, 1, 20) != 0) // FROM main
			return 1;
	return 0;
}
