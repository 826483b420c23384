// finds: random-reads
// says: at places all over the file
// Reads small records at places all over a file, with a call for each; corrected, from a mapping.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD 256
#define RECORDS 4096
#define READS 3000

int main(int argc, char **argv) {
	(void)argv;
	static char block[RECORD * RECORDS];
	char record[RECORD];
	unsigned at = 1, sum = 0;
	int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
		return 1;
	char *map = argc > 1 ? mmap(NULL, sizeof block, PROT_READ, MAP_SHARED, fd, 0) : NULL;
	for (int i = 0; i < READS; i++) {
		// Each of the records comes up once.
		at = (at * 1029 + 7) % RECORDS;
		if (map)
			sum += map[at * RECORD];
		else if (pread(fd, record, RECORD, at * RECORD) != RECORD)
			return 1;
	}
	return sum != 0;
}
