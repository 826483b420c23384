// Enforces a Landlock ruleset from a file, and executes a program: landlocked RULES PROGRAM ARG...
// Lines of the file: `handled FS NET` first, and then `path RIGHTS PATH` and `port RIGHTS PORT`. Rights are sets of bits.
// The exit status is 77 where the kernel has no Landlock with rules for ports.

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { PATH_BENEATH = 1, NET_PORT = 2 };

// As in linux/landlock.h, which may be older than the kernel.
struct ruleset {
	uint64_t fs, net;
};
struct beneath {
	uint64_t rights;
	int32_t parent;
} __attribute__((packed));
struct port {
	uint64_t rights, port;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	char line[8192];
	struct ruleset handled;
	FILE *rules = argc > 2 ? fopen(argv[1], "re") : NULL;
	if (!rules || fscanf(rules, "handled %" SCNu64 " %" SCNu64 "\n", &handled.fs, &handled.net) != 2)
		fail("rules");
	if (syscall(CREATE_RULESET, NULL, 0, 1) < 5)
		return 77;
	int ruleset = syscall(CREATE_RULESET, &handled, sizeof handled, 0);
	if (ruleset < 0)
		fail("landlock_create_ruleset");
	while (fgets(line, sizeof line, rules)) {
		uint64_t rights, number;
		int at = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "port %" SCNu64 " %" SCNu64, &rights, &number) == 2) {
			struct port port = { rights, number };
			if (syscall(ADD_RULE, ruleset, NET_PORT, &port, 0))
				fail(line);
		} else if (sscanf(line, "path %" SCNu64 " %n", &rights, &at) == 1 && at) {
			struct beneath beneath = { rights, open(line + at, O_PATH | O_CLOEXEC) };
			if (beneath.parent < 0 || syscall(ADD_RULE, ruleset, PATH_BENEATH, &beneath, 0))
				fail(line);
			close(beneath.parent);
		} else {
			fail(line);
		}
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(RESTRICT_SELF, ruleset, 0))
		fail("landlock_restrict_self");
	execv(argv[2], argv + 2);
	fail("execv");
}
