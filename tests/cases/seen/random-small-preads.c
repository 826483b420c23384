// case: small records are read at random places of one file, a system call for each
// first: data.bin
// first: pread|random|small|mmap
// useful: data.bin
// saves: calls
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD 256
#define RECORDS 65536
#define READS 20000

int main(int argc, char **argv) {
	int fd = open("data.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char block[1 << 20];
	long sum = 0;
	char record[RECORD];
	memset(block, 7, sizeof block);
	for (int i = 0; i < RECORD * RECORDS / (int)sizeof block; i++)
		if (write(fd, block, sizeof block) != sizeof block)
			return 1;
	srand(1);
	if (argc > 1 && strcmp(argv[1], "corrected") == 0) {
		char *map = mmap(NULL, (size_t)RECORD * RECORDS, PROT_READ, MAP_SHARED, fd, 0);
		for (int i = 0; i < READS; i++)
			sum += map[(size_t)(rand() % RECORDS) * RECORD];
	} else {
		for (int i = 0; i < READS; i++) {
			if (pread(fd, record, RECORD, (off_t)(rand() % RECORDS) * RECORD) != RECORD)
				return 1;
			sum += record[0];
		}
	}
	printf("%ld\n", sum);
	return 0;
}
