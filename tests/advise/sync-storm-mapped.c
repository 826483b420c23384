// finds: sync-storm
// says: msync was called 60 times to wait until changes of a mapped file were on the disk
// Waits for the disk after each of many small changes of a mapped file. Corrected, it waits once, after the last one.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (1 << 16)

int main(int argc, char **argv) {
	(void)argv;
	int file = open("table", O_RDWR | O_CREAT, 0600);
	if (ftruncate(file, SIZE))
		return 1;
	char *table = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (table == MAP_FAILED)
		return 1;
	for (int i = 0; i < 60; i++) {
		table[i * 64] = 1;
		if (argc == 1 || i == 59)
			msync(table, SIZE, MS_SYNC); // FROM main
	}
	return 0;
}
