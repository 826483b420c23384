/*
 * Ends in a call that seccomp does not allow. The argument says how: strict, or a filter that kills the process or the thread. With a
 * second argument, another thread does it, and the first one ends when that thread is gone: if the process ended before a tracer has waited
 * for the thread, wait(2) would have the process's status for it. The call is lseek with a high offset, or chdir.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *how;
static volatile pid_t confined;

static void *confine(void *unused)
{
	unsigned action = strcmp(how, "process") ? SECCOMP_RET_KILL_THREAD : SECCOMP_RET_KILL_PROCESS;
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_lseek, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_chdir, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof program / sizeof *program, program };
	char path[] = "/confined";

	confined = syscall(SYS_gettid);
	if (!strcmp(how, "strict") || !strcmp(how, "path")) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(77);
	} else if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		_exit(77);
	}
	if (!strcmp(how, "path"))
		chdir(path);
	else
		lseek(0, 123456789, SEEK_END);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	how = argv[1];
	if (argc == 2)
		confine(NULL);
	else if (!pthread_create(&thread, NULL, confine, NULL)) {
		pthread_join(thread, NULL);
		while (!syscall(SYS_tgkill, getpid(), confined, 0))
			usleep(1000);
	}
	return 0;
}
