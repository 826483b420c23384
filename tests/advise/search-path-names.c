// finds: search-path stat-storm
// says: along a path
// says: let it remember where each was found
// Templates are searched along a chain of themes, for each page anew. They stand in different themes, and are one finding all the
// same. Corrected, the program remembers where each was found.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THEMES = 12, NAMES = 4, PAGES = 300 };

static void place(char *path, int theme, int name) {
	snprintf(path, 64, "theme-%d/part-%d.html", theme, name);
}

static int find(int name) {
	for (int theme = 0; theme < THEMES; theme++) {
		char path[64];
		place(path, theme, name);
		if (access(path, R_OK) == 0) // FROM find
			return theme;
	}
	_exit(1);
}

int main(int argc, char **argv) {
	(void)argv;
	char path[64];
	int where[NAMES];
	for (int theme = 0; theme < THEMES; theme++) {
		snprintf(path, sizeof path, "theme-%d", theme);
		mkdir(path, 0700);
	}
	for (int name = 0; name < NAMES; name++) {
		place(path, THEMES - 1 - name, name);
		close(open(path, O_WRONLY | O_CREAT, 0600));
		where[name] = find(name);
	}
	for (int page = 0; argc == 1 && page < PAGES; page++)
		for (int name = 0; name < NAMES; name++)
			where[name] = find(name);
	return where[0] != THEMES - 1;
}
