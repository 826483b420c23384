// finds: sync-storm
// estimate: lines that are synced together need no calls of their own either
// says: was synced 110 times
// Appends each of some lines to a log that it opens, syncs and closes each time. Corrected, it does so once for all lines.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void note(const char *lines) {
	int log = open("log", O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (write(log, lines, strlen(lines)) != (ssize_t)strlen(lines))
		_exit(1);
	fsync(log); // FROM note
	close(log);
}

int main(int argc, char **argv) {
	(void)argv;
	char all[110 * 16] = "";
	for (int i = 0; i < 110; i++)
		if (argc > 1)
			strcat(all, "one more line\n");
		else
			note("one more line\n");
	if (argc > 1)
		note(all);
	return 0;
}
