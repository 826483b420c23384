// finds: limits
// estimate: no call is saved, only waiting
// says: times with EMFILE: the process has as many descriptors as it may
// says: of these it slept
// Files are opened and kept open, until the process may have no more. Corrected, each is closed.
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
	(void)argv;
	int lowest = dup(0);
	struct rlimit limit = {(rlim_t)lowest + 10, (rlim_t)lowest + 10};
	close(lowest);
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	for (int i = 0; i < 40; i++) {
		int fd = open("/dev/null", O_RDONLY); // FROM main
		if (fd >= 0 && argc > 1)
			close(fd);
		if (fd < 0 && errno == EMFILE)
			usleep(5000);
	}
	return 0;
}
