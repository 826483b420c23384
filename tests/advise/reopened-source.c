// finds: reopened
// says: /dev/urandom was opened 2,000 times by one process, and closed each time
// says: getrandom(2) needs no descriptor
// Opens a device for each few random bytes. Corrected, it keeps the device open.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKENS 2000

int main(int argc, char **argv) {
	(void)argv;
	int fd = -1;
	for (int i = 0; i < TOKENS; i++) {
		char token[16];
		if (fd < 0)
			fd = open("/dev/urandom", O_RDONLY);
		if (fd < 0 || read(fd, token, sizeof token) != sizeof token)
			return 1;
		if (argc == 1) {
			close(fd);
			fd = -1;
		}
	}
	return 0;
}
