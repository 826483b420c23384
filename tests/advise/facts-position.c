// finds: facts
// says: here/records was asked for 400 more times
// never: likewise
// Writes records, and notes where each begins. To find out, it asks the kernel before each record.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#define RECORDS 400

static char record[8192];
static off_t begins[RECORDS];

int main(int argc, char **argv) {
	(void)argv;
	int fd = open("records", O_CREAT | O_RDWR, 0600);
	off_t at = lseek(fd, 0, SEEK_CUR);

	for (int i = 0; i < RECORDS; i++) {
		begins[i] = argc > 1 ? at : lseek(fd, 0, SEEK_CUR);
		at += write(fd, record, sizeof record);
	}
	return begins[RECORDS - 1] == (off_t) (RECORDS - 1) * sizeof record ? 0 : 1;
}
