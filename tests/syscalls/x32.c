// stride: -a1
// Numbers of the x32 ABI. Most kernels refuse these calls, and their names are shown all the same.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

#define X32 0x40000000

int main(void)
{
#ifdef __x86_64__
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	chdir("MARKER");

	long r = syscall(X32 | SYS_getppid);
	printf("getppid() = %s\n", result(r));
	r = syscall(X32 | SYS_openat, -1, 8L, 0x80000, 0);
	printf("openat(-1, 0x8, O_RDONLY|O_CLOEXEC) = %s\n", result(r));
	// readv(2) of x32 has a number of its own, and x86-64's number is for x86-64 alone.
	r = syscall(X32 | 515, -1L, 0L, 0L);
	printf("readv(-1, NULL, 0) = %s\n", result(r));
	r = syscall(X32 | SYS_readv, -1L, 0L, 0L);
	printf("readv#64(0xffffffffffffffff, 0, 0) = %s\n", result(r));
	r = syscall(X32 | 900, 1L, 2L, 3L, 4L, 5L, 6L);
	printf("syscall_0x40000384(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
#else
	fprintf(stderr, "skip: x32 is an ABI of x86-64\n");
	return 77;
#endif
}
