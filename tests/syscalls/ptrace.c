// stride: -e trace=ptrace -e signal=none -a1
// A traced tracer: a word, registers, a signal, the reason of a stop.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long word = 0x1122334455667788;
static unsigned long nothing;

int main(void)
{
	int pid = fork(), status;
	unsigned long peeked, message;
	unsigned char info[88];
	struct iovec half;
	unsigned long registers[2];
	sigset_t mask;

	if (!pid) {
		for (;;)
			pause();
	}
	chdir("MARKER");

	syscall(SYS_ptrace, 0x4206L, (long)pid, 0L, 0x100001L);
	printf("ptrace(PTRACE_SEIZE, %d, NULL, PTRACE_O_TRACESYSGOOD|PTRACE_O_EXITKILL) = 0\n", pid);
	syscall(SYS_ptrace, 0x4207L, (long)pid, 5L, 6L);
	printf("ptrace(PTRACE_INTERRUPT, %d) = 0\n", pid);
	waitpid(pid, &status, __WALL);
	syscall(SYS_ptrace, 1L, (long)pid, &word, &peeked);
	printf("ptrace(PTRACE_PEEKTEXT, %d, %p, [0x1122334455667788]) = 0\n", pid, &word);
	syscall(SYS_ptrace, 1L, (long)pid, (long)&nothing, &peeked);
	printf("ptrace(PTRACE_PEEKTEXT, %d, %p, [NULL]) = 0\n", pid, &nothing);
	syscall(SYS_ptrace, 5L, (long)pid, &word, 7L);
	printf("ptrace(PTRACE_POKEDATA, %d, %p, 0x7) = 0\n", pid, &word);
	syscall(SYS_ptrace, 0x4201L, (long)pid, 0L, &message);
	printf("ptrace(PTRACE_GETEVENTMSG, %d, NULL, [%lu]) = 0\n", pid, message);
	syscall(SYS_ptrace, 0x420aL, (long)pid, 8L, &mask);
	printf("ptrace(PTRACE_GETSIGMASK, %d, 8, []) = 0\n", pid);
#ifdef __x86_64__
	half.iov_base = registers, half.iov_len = 16;
	syscall(SYS_ptrace, 0x4204L, (long)pid, 1L, &half);
	printf("ptrace(PTRACE_GETREGSET, %d, NT_PRSTATUS, {iov_base={r15=%#lx, r14=%#lx}, iov_len=16}) = 0\n",
	       pid, registers[0], registers[1]);
	syscall(SYS_ptrace, 3L, (long)pid, 8L * 16, &peeked);
	printf("ptrace(PTRACE_PEEKUSER, %d, 8*RIP, [%#lx]) = 0\n", pid, peeked);
#endif
	syscall(SYS_ptrace, 0x4204L, (long)pid, 0x999L, 0L);
	printf("ptrace(PTRACE_GETREGSET, %d, 0x999 /* NT_??? */, NULL) = -1 EFAULT (Bad address)\n", pid);
	status = syscall(SYS_ptrace, 0x420eL, (long)pid, 24L, info);
	printf("ptrace(PTRACE_GET_SYSCALL_INFO, %d, 24, {op=PTRACE_SYSCALL_INFO_NONE, arch=%s, "
	       "instruction_pointer=%#lx, stack_pointer=%#lx}) = %d\n", pid,
#ifdef __x86_64__
	       "AUDIT_ARCH_X86_64",
#else
	       "AUDIT_ARCH_AARCH64",
#endif
	       *(unsigned long *)(info + 8), *(unsigned long *)(info + 16), status);
	syscall(SYS_ptrace, 0x1234L, (long)pid, 5L, 6L);
	printf("ptrace(0x1234 /* PTRACE_??? */, %d, 0x5, 0x6) = -1 EIO (Input/output error)\n", pid);
	syscall(SYS_ptrace, 17L, (long)pid, 0L, (long)SIGCONT);
	printf("ptrace(PTRACE_DETACH, %d, NULL, SIGCONT) = 0\n", pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	fflush(stdout);
	_exit(0);
}
