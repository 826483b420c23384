// Makes calls as another user, whose id is the argument, and as the one it was before.
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uid_t user = argc > 1 ? atoi(argv[1]) : 0;

	getpgrp();
	if (setresuid(-1, user, -1))
		return 1;
	getpgrp();
	getpgrp();
	if (setresuid(-1, 0, -1))
		return 1;
	getpgrp();
	return 0;
}
