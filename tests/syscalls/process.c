// stride: -e trace=clone,clone3,wait4,waitid,getpgid,setpgid,kcmp,pidfd_open,pidfd_getfd,pidfd_send_signal,unshare,setns,execve,execveat -e signal=none -a1
// Processes: how they begin, how they end, and how they are named.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int status, pid, tid, fd, self = getpid();
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char *args[] = { "a", "b\n", 0 };
	static char *env[] = { "A=1", 0 };
	/* The members of clone3(2)'s struct: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, ... */
	uint64_t clone3[11] = { 0 };

	/* Under ptrace, a SIGCHLD would interrupt waitid(2), which then fails with EFAULT before the child has ended. */
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);

	chdir("MARKER");

	pid = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
	if (!pid)
		_exit(7);
	printf("clone(child_stack=NULL, flags=SIGCHLD) = %d\n", pid);
	syscall(SYS_wait4, pid, &status, 0, 0);
	printf("wait4(%d, [{WIFEXITED(s) && WEXITSTATUS(s) == 7}], 0, NULL) = %d\n", pid, pid);

	pid = syscall(SYS_clone, (long)(CLONE_PARENT_SETTID | SIGCHLD), 0L, &tid, 0L, 0L);
	if (!pid) {
		raise(SIGKILL);
		_exit(1);
	}
	printf("clone(child_stack=NULL, flags=CLONE_PARENT_SETTID|SIGCHLD, parent_tid=[%d]) = %d\n", pid, pid);
	syscall(SYS_wait4, -1, &status, __WALL, 0);
	printf("wait4(-1, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}], __WALL, NULL) = %d\n", pid);

	clone3[0] = CLONE_PARENT_SETTID;
	clone3[3] = (uintptr_t)&tid;
	clone3[4] = SIGCHLD;
	pid = syscall(SYS_clone3, clone3, 88L);
	if (!pid) {
		raise(SIGSTOP);
		_exit(0);
	}
	printf("clone3({flags=CLONE_PARENT_SETTID, parent_tid=%p, exit_signal=SIGCHLD, stack=NULL, stack_size=0}"
	       " => {parent_tid=[%d]}, 88) = %d\n", &tid, pid, pid);
	syscall(SYS_wait4, pid, &status, WUNTRACED, 0);
	printf("wait4(%d, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], WSTOPPED, NULL) = %d\n", pid, pid);
	syscall(SYS_wait4, pid, &status, WNOHANG, 0);
	printf("wait4(%d, %p, WNOHANG, NULL) = 0\n", pid, &status);
	syscall(SYS_clone3, none, 88L);
	printf("clone3(%p, 88) = -1 EFAULT (Bad address)\n", none);
	clone3[0] = 1ULL << 60;
	syscall(SYS_clone3, clone3, 64L);
	printf("clone3({flags=0x1000000000000000 /* CLONE_??? */, exit_signal=SIGCHLD, stack=NULL, stack_size=0}, 64)"
	       " = -1 EINVAL (Invalid argument)\n");

	fd = syscall(SYS_pidfd_open, pid, 0);
	printf("pidfd_open(%d, 0) = %d\n", pid, fd);
	syscall(SYS_pidfd_open, pid, 0x801);
	printf("pidfd_open(%d, PIDFD_NONBLOCK|0x1) = -1 EINVAL (Invalid argument)\n", pid);
	syscall(SYS_pidfd_getfd, fd, 999, 0);
	printf("pidfd_getfd(%d, 999, 0) = -1 EBADF (Bad file descriptor)\n", fd);
	syscall(SYS_pidfd_send_signal, fd, SIGCONT, 0L, 0);
	printf("pidfd_send_signal(%d, SIGCONT, NULL, 0) = 0\n", fd);
	syscall(SYS_waitid, P_PID, pid, none, WEXITED, 0L);
	printf("waitid(P_PID, %d, %p, WEXITED, NULL) = -1 EFAULT (Bad address)\n", pid, none);
	syscall(SYS_waitid, P_ALL, 0, 0L, WEXITED, 0L);
	printf("waitid(P_ALL, 0, NULL, WEXITED, NULL) = -1 ECHILD (No child processes)\n");
	syscall(SYS_waitid, 9, 5, 0L, 0, 0L);
	printf("waitid(0x9 /* P_??? */, 5, NULL, 0, NULL) = -1 EINVAL (Invalid argument)\n");

	status = syscall(SYS_kcmp, self, self, 0, 0, 0);
	printf("kcmp(%d, %d, KCMP_FILE, 0, 0) = %d\n", self, self, status);
	syscall(SYS_kcmp, self, self, 1, 5, 5);
	printf("kcmp(%d, %d, KCMP_VM) = 0\n", self, self);
	syscall(SYS_getpgid, -2);
	printf("getpgid(-2) = -1 ESRCH (No such process)\n");
	syscall(SYS_setpgid, 0, -3);
	printf("setpgid(0, -3) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_unshare, 0x1L);
	printf("unshare(0x1 /* CLONE_??? */) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_setns, -1, CLONE_NEWNET | CLONE_NEWPID);
	printf("setns(-1, CLONE_NEWPID|CLONE_NEWNET) = -1 EBADF (Bad file descriptor)\n");

	syscall(SYS_execve, "/no/such", args, env);
	printf("execve(\"/no/such\", [\"a\", \"b\\n\"], %p /* 1 var */) = -1 ENOENT (No such file or directory)\n", env);
	syscall(SYS_execve, none, 0L, none);
	printf("execve(%p, NULL, %p) = -1 EFAULT (Bad address)\n", none, none);
	syscall(SYS_execveat, -100, "no/such", 0L, env, 0x1001);
	printf("execveat(AT_FDCWD, \"no/such\", NULL, %p /* 1 var */, AT_EMPTY_PATH|0x1)"
	       " = -1 EINVAL (Invalid argument)\n", env);
	fflush(stdout);
	_exit(0);
}
