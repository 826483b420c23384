/* Modules that a program reads when it starts. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MODULES = 12, ITEMS = 8 };

static void module(int i, int flags) {
	char name[32];
	snprintf(name, sizeof name, "module-%d", i);
	int fd = open(name, flags, 0644);
	if (fd < 0)
		exit(1);
	close(fd);
	// It is compiled.
	for (volatile unsigned step = 0; flags == O_RDONLY && step < 12000000; step++)
		;
}

static void modules(int flags) {
	for (int i = 0; i < MODULES; i++)
		module(i, flags);
}
