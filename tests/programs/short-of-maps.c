/*
 * Runs a program (the arguments) whose mappings of a ring buffer cannot grow: the kernel refuses to put a shared part of a file behind the
 * first 1 MiB over a mapping that is there, as if it had no memory. (MAP_SHARED | MAP_FIXED, by the low word of the offset.)
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* (On both machines the low word comes first.) */
#define ARG(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))

int main(int argc, char **argv)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 5),
		ARG(3),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED | MAP_FIXED, 0, 3),
		ARG(5),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1 << 20, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof program / sizeof *program, program };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	execv(argv[1], argv + 1);
	return 127;
}
