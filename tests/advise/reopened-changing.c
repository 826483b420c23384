// finds: reopened
// says: was listed 301 times by one process without a wait in between, and most times it had changed
// says: Take all names from one listing
// Lists a directory to find the next job, and removes that. Corrected, it does all jobs of one listing.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS 300

// Returns the number of jobs that were done: the first, or all.
static int work(int all) {
	DIR *dir = opendir("jobs");
	struct dirent *entry;
	int done = 0;
	if (!dir)
		exit(1);
	while ((all || !done) && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			done++;
	closedir(dir);
	return done;
}

int main(int argc, char **argv) {
	(void)argv;
	if (mkdir("jobs", 0755) != 0)
		return 1;
	for (int i = 0; i < JOBS; i++) {
		char name[64];
		snprintf(name, sizeof name, "jobs/%d", i);
		int fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0644);
		if (fd < 0)
			return 1;
		close(fd);
	}
	while (work(argc > 1))
		;
	return 0;
}
