// stride: -e trace=prctl,seccomp,?arch_prctl -a1
// The first argument decides which other arguments are shown, and how.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	int number = 0;
	char name[17] = "";
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, 0x7fff0000) };
	struct sock_fprog program = { 1, allow };
	uint32_t action = 0x7fff0000;
	uint16_t sizes[3];

	chdir("MARKER");

	syscall(SYS_prctl, 15, "a name of more than 15", 5, 6, 7);
	printf("prctl(PR_SET_NAME, \"a name of more \"...) = 0\n");
	syscall(SYS_prctl, 16, name);
	printf("prctl(PR_GET_NAME, \"a name of more \") = 0\n");
	syscall(SYS_prctl, 16, none);
	printf("prctl(PR_GET_NAME, %p) = -1 EFAULT (Bad address)\n", none);
	syscall(SYS_prctl, 1, 15);
	printf("prctl(PR_SET_PDEATHSIG, SIGTERM) = 0\n");
	syscall(SYS_prctl, 2, &number);
	printf("prctl(PR_GET_PDEATHSIG, [SIGTERM]) = 0\n");
	syscall(SYS_prctl, 1, 99L);
	printf("prctl(PR_SET_PDEATHSIG, 99) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_prctl, 4, 1);
	printf("prctl(PR_SET_DUMPABLE, SUID_DUMP_USER) = 0\n");
	syscall(SYS_prctl, 3);
	printf("prctl(PR_GET_DUMPABLE) = 1 (SUID_DUMP_USER)\n");
	syscall(SYS_prctl, 24, 77L);
	printf("prctl(PR_CAPBSET_DROP, 0x4d /* CAP_??? */) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_prctl, 47, 2, 12, 0, 5);
	printf("prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0x5) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_prctl, 38, 1L, 0L, 0L, 0L);
	printf("prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) = 0\n");
	syscall(SYS_prctl, 0x59616d61, -2);
	syscall(SYS_prctl, 12345, 1L, 2L, 3L, 4L);
	printf("prctl(PR_SET_PTRACER, -2) = -1 EINVAL (Invalid argument)\n"
	       "prctl(0x3039 /* PR_??? */, 0x1, 0x2, 0x3, 0x4) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_prctl, 0x53564d41, 0L, none, 4096L, "heap [x]");
	printf("prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, %p, 4096, \"heap [x]\") = -1 EINVAL (Invalid argument)\n", none);
	syscall(SYS_prctl, 22, 3L, 5L, 0L, 0L);
	printf("prctl(PR_SET_SECCOMP, 0x3 /* SECCOMP_MODE_??? */, 0x5, 0, 0) = -1 EINVAL (Invalid argument)\n");

	syscall(SYS_seccomp, 2, 0, &action);
	printf("seccomp(SECCOMP_GET_ACTION_AVAIL, 0, [SECCOMP_RET_ALLOW]) = 0\n");
	syscall(SYS_seccomp, 3, 0, sizes);
	printf("seccomp(SECCOMP_GET_NOTIF_SIZES, 0, {seccomp_notif=%u, seccomp_notif_resp=%u, seccomp_data=%u}) = 0\n",
	       sizes[0], sizes[1], sizes[2]);
	syscall(SYS_seccomp, 1, 0x80000002, &program);
	printf("seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG|0x80000000, {len=1, filter=%p}) = "
	       "-1 EINVAL (Invalid argument)\n", allow);
	syscall(SYS_seccomp, 9, 1, 0L);
	printf("seccomp(0x9 /* SECCOMP_??? */, 0x1, NULL) = -1 EINVAL (Invalid argument)\n");
#ifdef __x86_64__
	{
		unsigned long fs;
		syscall(SYS_arch_prctl, 0x1003, &fs);
		printf("arch_prctl(ARCH_GET_FS, [%#lx]) = 0\n", fs);
		syscall(SYS_arch_prctl, 0x99, 5L);
		printf("arch_prctl(0x99 /* ARCH_??? */, 0x5) = -1 EINVAL (Invalid argument)\n");
	}
#endif
	fflush(stdout);
	_exit(0);
}
