// stride: -e trace=%signal -e signal=all -a1
// Signals: a set shows the signals that it lacks if these are fewer, a siginfo_t the members that its code makes valid.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "result.h"

static void handler(int signal) { (void)signal; }

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

int main(void)
{
	char out[1 << 14];
	uint64_t set, old;
	struct kernel_sigaction sa = {0}, was;
	siginfo_t info;
	stack_t stack = {.ss_sp = (void *)0x1000, .ss_flags = 0x40, .ss_size = 8192};
	long r;
	int pid = getpid(), uid = getuid();

	setvbuf(stdout, out, _IOFBF, sizeof out);
	signal(SIGUSR1, handler);
	chdir("MARKER");

	set = 1ul << (SIGUSR1 - 1) | 1ul << (SIGCHLD - 1) | 1ul << 31 | 1ul << 63;
	r = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, 8);
	printf("rt_sigprocmask(SIG_BLOCK, [USR1 CHLD RTMIN RT_32], [], 8) = %s\n", result(r));
	set = ~(1ul << (SIGINT - 1));
	r = syscall(SYS_rt_sigprocmask, 7, &set, NULL, 8);
	printf("rt_sigprocmask(0x7 /* SIG_??? */, ~[INT], NULL, 8) = %s\n", result(r));
	r = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 16);
	printf("rt_sigprocmask(SIG_BLOCK, %p, NULL, 16) = %s\n", &set, result(r));

	sa.handler = SIG_IGN;
	sa.flags = SA_RESTART | 0x04000000;
	sa.restorer = (void *)0x1234;
	sa.mask = 3;
	r = syscall(SYS_rt_sigaction, SIGUSR2, &sa, &was, 8);
	printf("rt_sigaction(SIGUSR2, {sa_handler=SIG_IGN, sa_mask=[HUP INT], sa_flags=SA_RESTORER|SA_RESTART, "
	       "sa_restorer=0x1234}, {sa_handler=SIG_DFL, sa_mask=[], sa_flags=0}, 8) = %s\n",
	       result(r));
	sa.handler = handler;
	sa.flags = SA_NODEFER | 0x20;
	r = syscall(SYS_rt_sigaction, 70, &sa, 0x11, 8);
	printf("rt_sigaction(70, {sa_handler=%p, sa_mask=[HUP INT], sa_flags=SA_NODEFER|0x20}, 0x11, 8) = %s\n", handler, result(r));

	r = kill(pid, SIGUSR1);
	printf("kill(%d, SIGUSR1) = %s\n", pid, result(r));
	r = syscall(SYS_rt_sigpending, &old, 8);
	printf("rt_sigpending([USR1], 8) = %s\n", result(r));
	set = 1ul << (SIGUSR1 - 1);
	struct timespec zero = {0};
	r = syscall(SYS_rt_sigtimedwait, &set, &info, &zero, 8);
	printf("rt_sigtimedwait([USR1], {si_signo=SIGUSR1, si_code=SI_USER, si_pid=%d, si_uid=%d}, {tv_sec=0, tv_nsec=0}, 8) = "
	       "10 (SIGUSR1)\n",
	       pid, uid);
	r = syscall(SYS_rt_sigtimedwait, &set, NULL, &zero, 8);
	printf("rt_sigtimedwait([USR1], NULL, {tv_sec=0, tv_nsec=0}, 8) = %s\n", result(r));

	memset(&info, 0, sizeof info);
	info.si_signo = SIGUSR1;
	info.si_code = SI_QUEUE;
	info.si_errno = ENOENT;
	info.si_pid = 1;
	info.si_uid = 2;
	info.si_value.sival_ptr = (void *)0x123456789a;
	r = syscall(SYS_rt_sigqueueinfo, 0x7ffffffe, SIGUSR1, &info);
	printf("rt_sigqueueinfo(2147483646, SIGUSR1, {si_signo=SIGUSR1, si_code=SI_QUEUE, si_errno=ENOENT, si_pid=1, si_uid=2, "
	       "si_int=%d, si_ptr=0x123456789a}) = %s\n",
	       info.si_int, result(r));
	info.si_signo = SIGSEGV;
	info.si_code = SEGV_MAPERR;
	info.si_errno = 0;
	info.si_addr = (void *)0x10;
	r = syscall(SYS_rt_tgsigqueueinfo, 0x7ffffffe, 0x7ffffffe, SIGSEGV, &info);
	printf("rt_tgsigqueueinfo(2147483646, 2147483646, SIGSEGV, {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x10}) = %s\n",
	       result(r));
	r = syscall(SYS_rt_sigqueueinfo, 0x7ffffffe, 99, 0x11);
	printf("rt_sigqueueinfo(2147483646, 99, 0x11) = %s\n", result(r));

	r = syscall(SYS_sigaltstack, &stack, NULL);
	printf("sigaltstack({ss_sp=0x1000, ss_flags=0x40 /* SS_??? */, ss_size=8192}, NULL) = %s\n", result(r));
	r = syscall(SYS_tgkill, pid, -1, 0);
	printf("tgkill(%d, -1, 0) = %s\n", pid, result(r));
	set = 5;
	r = syscall(SYS_signalfd4, -1, &set, 8, 0x80001);
	printf("signalfd4(-1, [HUP QUIT], 8, SFD_CLOEXEC|0x1) = %s\n", result(r));

	// A signal that is delivered, and the mask that the return of its handler restores.
	set = 1ul << (SIGUSR1 - 1);
	r = syscall(SYS_tkill, syscall(SYS_gettid), SIGUSR1);
	printf("tkill(%d, SIGUSR1) = 0\n", pid);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
	printf("rt_sigprocmask(SIG_UNBLOCK, [USR1], NULL, 8) = 0\n");
	printf("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=%d, si_uid=%d} ---\n", pid, uid);
	printf("rt_sigreturn({mask=[CHLD RTMIN RT_32]}) = 0\n");
	fflush(stdout);
	_exit(0);
}
