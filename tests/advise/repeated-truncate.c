// finds: repeated
// estimate: whether one call can stand for many is the program's to know, so none is counted
// only: ebpf
// says: ftruncate(2) was called 20,000 times for
// Makes a mapped file longer for each record. Corrected, it makes room for many records at a time.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS 20000
#define SIZE 100

int main(int argc, char **argv) {
	(void)argv;
	int fd = open("records", O_CREAT | O_RDWR, 0600);
	char *file = mmap(NULL, RECORDS * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return 1;
	for (long i = 0; i < RECORDS; i++) {
		if (argc == 1 && ftruncate(fd, (i + 1) * SIZE) != 0) // FROM main
			return 1;
		if (argc > 1 && i % 5000 == 0 && ftruncate(fd, (i + 5000) * SIZE) != 0)
			return 1;
		memset(file + i * SIZE, 'x', SIZE);
	}
	return 0;
}
