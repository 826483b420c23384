// finds: random-reads
// says: of the reads began within the bytes of the read before
// never: the file was locked or changed
// Reads the records of a file in order, and moves to each one before. The stream's buffer is filled anew each time. Corrected, it moves only once.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 64, RECORDS = 40000 };

static char buffer[8192];
static int have, used;

// As a stream does: it drops what is in the buffer.
static int seek(int file, long to) {
	have = used = 0;
	return lseek(file, to, SEEK_SET) != to;
}

static int take(int file, char *record) {
	if (have - used < RECORD) {
		memmove(buffer, buffer + used, have - used);
		have -= used;
		used = 0;
		ssize_t more = read(file, buffer + have, sizeof buffer - have);
		if (more <= 0)
			return 1;
		have += more;
	}
	memcpy(record, buffer + used, RECORD);
	used += RECORD;
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	static char records[RECORD * RECORDS], record[RECORD];
	int file = open("items", O_RDWR | O_CREAT, 0644);
	if (file < 0 || write(file, records, sizeof records) != sizeof records || seek(file, 0))
		return 1;
	long sum = 0;
	for (int i = 0; i < RECORDS; i++) {
		if (argc == 1 && seek(file, (long)i * RECORD))
			return 1;
		if (take(file, record))
			return 1;
		sum += record[0];
	}
	return sum != 0;
}
