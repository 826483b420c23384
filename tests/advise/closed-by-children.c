// finds: fd-leak
// estimate: descriptors are saved, not calls
// never: /dev/null
// Gives files to children that dup them and still hold them when the parent closes its own descriptors: some children
// by fork, others by vfork and execve. Children that share the parent's descriptors (clone with CLONE_FILES) close
// other files; uncorrected, the program forgets those.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// More children would be a finding of their own.
#define ROUNDS 16
#define FILES 4

static int names[FILES];

static int closes(void *unused) {
	(void)unused;
	for (int i = 0; i < FILES; i++)
		close(names[i]);
	return 0;
}

static int run(int program) {
	int nulls[FILES], go[2];
	for (int i = 0; i < FILES; i++) {
		nulls[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		names[i] = open("name", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0644);
		if (nulls[i] < 0 || names[i] < 0 || write(names[i], "true", 4) != 4)
			return 1;
	}
	if (pipe2(go, O_CLOEXEC) != 0)
		return 1;
	pid_t child = program ? vfork() : fork();
	if (child == 0) {
		char byte;
		// These numbers are above all descriptors of the parent.
		for (int i = 0; i < FILES; i++)
			dup2(nulls[i], 500 + i);
		dup2(go[0], 0);
		if (program)
			execl("/bin/sh", "sh", "-c", "read line", (char *)NULL);
		close(go[1]);
		// The read ends when the parent has closed its end.
		_exit((int)read(0, &byte, 1));
	}
	for (int i = 0; i < FILES; i++)
		close(nulls[i]);
	close(go[0]);
	close(go[1]);
	waitpid(child, NULL, 0);
	return 0;
}

int main(int argc, char **argv) {
	(void)argv;
	char *stack = malloc(65536);
	for (int i = 0; i < ROUNDS; i++) {
		if (run(i % 3 == 0) != 0)
			return 1;
		if (argc > 1) {
			int how = CLONE_FILES | SIGCHLD | (i % 2 ? CLONE_VM | CLONE_VFORK : 0);
			pid_t child = clone(closes, stack + 65536, how, NULL);
			waitpid(child, NULL, 0);
		}
	}
	return 0;
}
