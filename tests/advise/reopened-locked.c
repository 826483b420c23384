// finds: reopened
// says: was opened 2,000 times by one process to write to it, and closed each time
// Each record is added to a log that is opened and locked for it. Corrected, the log stays open, and many records are written at once.
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define RECORDS 2000

static char record[4096];

static void add(int log) {
	flock(log, LOCK_EX);
	if (write(log, record, sizeof record) != sizeof record)
		_exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	memset(record, 'r', sizeof record);
	int log = -1;
	if (argc > 1)
		log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	for (int i = 0; i < RECORDS; i++)
		if (argc > 1)
			add(log);
		else {
			int own = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
			add(own);
			close(own);
		}
	if (log >= 0)
		close(log);
	return 0;
}
