// finds: retries
// says: was read 101 times, with sleeps in between
// says: jobs-journal, which was not there
// A worker looks into a file for work each 2 ms, as into a database: it looks for the journal and reads the beginning of the file. Corrected, it reads
// once, and is told through a pipe.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int jobs;

static int has_work(void) {
	struct stat journal;
	char first;
	return stat("jobs-journal", &journal) == 0 || pread(jobs, &first, 1, 0) != 1 || first == '1'; // FROM has_work
}

int main(int argc, char **argv) {
	(void)argv;
	int told[2];
	char byte;
	jobs = open("jobs", O_RDWR | O_CREAT, 0644);
	if (jobs < 0 || write(jobs, "0", 1) != 1 || pipe(told))
		return 1;
	if (argc > 1) {
		if (fork() == 0) {
			usleep(218000);
			return pwrite(jobs, "1", 1, 0) != 1 || write(told[1], "x", 1) != 1;
		}
		return has_work() || read(told[0], &byte, 1) != 1 || !has_work() || wait(NULL) < 0;
	}
	for (int i = 0; i < 101 && !has_work(); i++)
		usleep(2000);
	return 0;
}
