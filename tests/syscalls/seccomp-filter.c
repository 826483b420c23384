// stride: -v -e trace=seccomp,setsockopt -a1
// Filters in the macros of their source. The meaning of a number depends on the program's use.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_X, 5),
		BPF_STMT(BPF_MISC | BPF_TXA, 0),
	};
	struct sock_filter packets[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, SKF_AD_OFF + SKF_AD_PROTOCOL),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	struct sock_fprog program = { 6, insns }, odd = { 3, insns + 6 }, other = { 2, packets };

	chdir("MARKER");

	syscall(SYS_seccomp, 1, 0x40000000, &program);
	printf("seccomp(SECCOMP_SET_MODE_FILTER, 0x40000000 /* SECCOMP_FILTER_FLAG_??? */, {len=6, filter=["
	       "BPF_STMT(BPF_LD|BPF_W|BPF_ABS, 0x4), BPF_JUMP(BPF_JMP|BPF_K|BPF_JEQ, 0xc000003e, 0x1, 0), "
	       "BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ERRNO|0x26), BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ALLOW), "
	       "BPF_STMT(BPF_ALU|BPF_X|BPF_AND, 0x5), BPF_STMT(BPF_MISC|BPF_TXA, 0)]}) = -1 EINVAL (Invalid argument)\n");
	odd.filter = (void *)1;
	syscall(SYS_seccomp, 1, 0x40000000, &odd);
	printf("seccomp(SECCOMP_SET_MODE_FILTER, 0x40000000 /* SECCOMP_FILTER_FLAG_??? */, {len=3, filter=0x1}) = "
	       "-1 EINVAL (Invalid argument)\n");
	setsockopt(-1, SOL_SOCKET, SO_ATTACH_FILTER, &other, sizeof(other));
	printf("setsockopt(-1, SOL_SOCKET, SO_ATTACH_FILTER, {len=2, filter=["
	       "BPF_STMT(BPF_LD|BPF_H|BPF_ABS, SKF_AD_OFF+SKF_AD_PROTOCOL), BPF_STMT(BPF_RET|BPF_A, 0)]}, 16) = "
	       "-1 EBADF (Bad file descriptor)\n");
	fflush(stdout);
	_exit(0);
}
