// finds: random-reads
// says: at the same places again and again
// Reads the index of a file before each step; corrected, before the first. Then it reads a file that changes between the
// reads, as it should.
#include <fcntl.h>
#include <unistd.h>

#define PAGES 16
#define STEPS 60
#define CHANGES 20

static char index_[PAGES * 4096];

static int load(int fd) {
	for (int page = 0; page < PAGES; page++) {
		if (lseek(fd, page * 4096, SEEK_SET) < 0 || read(fd, index_ + page * 4096, 4096) != 4096)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	int fd = open("index", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, index_, sizeof index_) != sizeof index_)
		return 1;
	for (int i = 0; i < (argc > 1 ? 1 : STEPS); i++)
		if (load(fd))
			return 1;
	int counter = open("counter", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < CHANGES; i++)
		if (pwrite(counter, &i, sizeof i, 0) != sizeof i || pread(counter, &i, sizeof i, 0) != sizeof i)
			return 1;
	return 0;
}
