// stride: -e trace=getrlimit,setrlimit,prlimit64,getrusage -a1
// Limits: infinity by name, multiples of 1024 as such.
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t limit[2] = { 2048, ~0ULL }, small[2] = { 0, 0 }, core[2];

	chdir("MARKER");

	syscall(SYS_prlimit64, 0, 4, small, 0L);
	printf("prlimit64(0, RLIMIT_CORE, {rlim_cur=0, rlim_max=0}, NULL) = 0\n");
	syscall(SYS_prlimit64, 0, 4, 0L, core);
	printf("prlimit64(0, RLIMIT_CORE, NULL, {rlim_cur=0, rlim_max=0}) = 0\n");
	syscall(SYS_prlimit64, 0, 99, limit, core);
	printf("prlimit64(0, 0x63 /* RLIMIT_??? */, {rlim_cur=2*1024, rlim_max=RLIM64_INFINITY}, %p) = "
	       "-1 EINVAL (Invalid argument)\n", core);
	syscall(SYS_prlimit64, 0, 4, none, 0L);
	printf("prlimit64(0, RLIMIT_CORE, %p, NULL) = -1 EFAULT (Bad address)\n", none);
#ifdef SYS_getrlimit
	syscall(SYS_getrlimit, 4, core);
#else
	printf("getrlimit is missing\n");
#endif
	printf("getrlimit(RLIMIT_CORE, {rlim_cur=0, rlim_max=0}) = 0\n");
	limit[0] = 1025, limit[1] = 1024;
	syscall(SYS_setrlimit, 7, limit);
	printf("setrlimit(RLIMIT_NOFILE, {rlim_cur=1025, rlim_max=1024}) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_getrusage, 5, limit);
	printf("getrusage(0x5 /* RUSAGE_??? */, %p) = -1 EINVAL (Invalid argument)\n", limit);
	syscall(SYS_getrusage, -1, none);
	printf("getrusage(RUSAGE_CHILDREN, %p) = -1 EFAULT (Bad address)\n", none);
	fflush(stdout);
	_exit(0);
}
