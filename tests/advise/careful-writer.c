// finds:
// estimate: nothing is found
// Writes that are safe enough: a log that is renamed to move it out of the way, a file that is replaced after a sync,
// and a file that is replaced once.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int put(const char *name, int flags, const char *text, int sync) {
	int fd = open(name, O_CREAT | O_WRONLY | flags, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || sync && fsync(fd) != 0)
		return -1;
	return close(fd);
}

int main(void) {
	for (int i = 0; i < 30; i++) {
		if (put("log", O_APPEND, "something happened\n", 0) || rename("log", "log.1"))
			return 1;
		if (put("state.new", O_TRUNC, "state\n", 1) || rename("state.new", "state"))
			return 1;
	}
	return put("edited.new", O_EXCL, "text\n", 0) || rename("edited.new", "edited");
}
