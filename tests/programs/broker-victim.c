/*
 * Somebody whose calls others must not see. Each of its secret calls is getpgid(2), which nothing else here makes. It writes a byte to its
 * stdout for each, so that who watches knows that there was something to see.
 *
 * broker-victim [undumpable | user UID] [COUNT]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int at = 1;
	long count = 1000000;

	if (at < argc && !strcmp(argv[at], "undumpable")) {
		prctl(PR_SET_DUMPABLE, 0);
		at++;
	} else if (at < argc && !strcmp(argv[at], "user")) {
		int id = atoi(argv[at + 1]);

		if (setresgid(id, id, id) || setresuid(id, id, id))
			return 2;
		at += 2;
	}
	if (at < argc && atol(argv[at]) > 0)
		count = atol(argv[at]);
	while (count-- > 0) {
		getpgid(0);
		if (write(1, "x", 1) != 1)
			return 0;
		usleep(200);
	}
	return 0;
}
