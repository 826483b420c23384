/*
 * Makes a child that no tracer follows, by clone or (with an argument) by clone3. The child calls sethostname with a length
 * that fails, and the parent waits for it.
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct clone_args args = { .flags = CLONE_UNTRACED, .exit_signal = SIGCHLD };
	long child = argc > 1 ? syscall(SYS_clone3, &args, sizeof(args))
			      : syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
	int status;

	if (child == 0) {
		syscall(SYS_sethostname, "child", -1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	syscall(SYS_sethostname, "parent", -1);
	return status;
}
