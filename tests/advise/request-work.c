// finds: request-work
// says: For each of 60 requests to TCP 127.0.0.1:
// says: opened 6 files on average, and only 6 different ones in all: 360 opens
// A server reads the same templates for each request. Corrected, it keeps them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEMPLATES = 6, REQUESTS = 60, SIZE = 8192 };

static char kept[TEMPLATES][SIZE];

static void name_of(int i, char name[32]) {
	snprintf(name, 32, "template-%d", i);
}

static ssize_t template(int i) {
	char name[32];
	name_of(i, name);
	int fd;
	return (fd = open(name, O_RDONLY)) < 0 ? -1 : read(fd, kept[i], SIZE) + close(fd); // FROM template
}

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < TEMPLATES; i++) {
		char name[32];
		name_of(i, name);
		int fd = open(name, O_CREAT | O_WRONLY, 0644);
		if (write(fd, kept[i], SIZE) != SIZE)
			return 1;
		close(fd);
	}
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	if (bind(listening, (struct sockaddr *)&at, size) || listen(listening, 4) ||
	    getsockname(listening, (struct sockaddr *)&at, &size))
		return 1;
	static char page[SIZE];
	if (fork() == 0) {
		close(listening);
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&at, size))
			return 1;
		for (int i = 0; i < REQUESTS; i++) {
			if (write(fd, page, 16) != 16)
				return 1;
			ssize_t got = 0;
			while (got < SIZE)
				got += read(fd, page, SIZE);
		}
		return 0;
	}
	int client = accept(listening, NULL, NULL), first = 1;
	while (read(client, page, 16) > 0) {
		for (int i = 0; i < TEMPLATES; i++)
			if ((first || argc == 1) && template(i) != SIZE)
				return 1;
		first = 0;
		if (write(client, kept[0], SIZE) != SIZE)
			return 1;
	}
	wait(NULL);
	return 0;
}
