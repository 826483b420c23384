// finds: polling
// estimate: few calls are saved, most of the change is waiting
// says: looked for a file that was not there and slept
// A task of an event loop looks for a file, and a timer of the loop wakes the task to look again. Corrected, it waits for the maker of the file.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	struct stat is;
	struct epoll_event event;
	int loop = epoll_create1(0);
	pid_t maker = fork();
	if (maker == 0) {
		usleep(700000);
		close(open("made", O_WRONLY | O_CREAT, 0600));
		return 0;
	}
	if (argc == 1)
		while (stat("made", &is)) // FROM main
			epoll_wait(loop, &event, 1, 30);
	waitpid(maker, NULL, 0);
	return 0;
}
