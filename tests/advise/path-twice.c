// finds: search-path
// never: not found
// Searches programs along a path in which directories stand twice, as after a profile that was read twice. Corrected,
// it knows where they are.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAMS 60

static const char *twice[] = {"one", "two", "three", "one", "two", "three", "four"}, *short_path[] = {"four"};

int main(int argc, char **argv) {
	(void)argv;
	char path[128];
	const char **order = argc > 1 ? short_path : twice;
	for (int i = 0; i < 7; i++)
		mkdir(twice[i], 0755);
	for (int p = 0; p < PROGRAMS; p++) {
		snprintf(path, sizeof path, "four/program-%d", p);
		int fd = open(path, O_CREAT | O_WRONLY, 0755);
		if (fd < 0)
			return 1;
		close(fd);
	}
	for (int p = 0; p < PROGRAMS; p++) {
		struct stat st;
		int missing = -1;
		for (int i = 0; i < 7; i++) {
			snprintf(path, sizeof path, "%s/program-%d", order[i], p % 2);
			missing = stat(path, &st);
			if (missing == 0)
				break;
		}
		if (missing < 0)
			return 1;
	}
	return 0;
}
