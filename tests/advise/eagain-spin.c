// finds: eagain-spin
// Reads until there is something to read.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int ends[2];
	char byte = 'x';
	if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		return 1;
	for (int i = 0; i < 500; i++) {
		if (argc == 1 && read(ends[0], &byte, 1) >= 0)
			return 1;
	}
	// An event loop: one EAGAIN says that everything is read.
	for (int i = 0; i < 50; i++) {
		struct pollfd wait = {ends[0], POLLIN, 0};
		if (write(ends[1], &byte, 1) != 1 || poll(&wait, 1, -1) != 1 || read(ends[0], &byte, 1) != 1 || read(ends[0], &byte, 1) >= 0)
			return 1;
	}
	return 0;
}
