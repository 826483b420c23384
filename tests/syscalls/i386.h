// 32-bit calls from a 64-bit program. A program that includes this header stands between #ifdef __x86_64__ and #endif: other kernels
// have no such calls.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void)
{
	fputs("skip: only x86-64 kernels have i386 calls\n", stderr);
	return 77;
}
#else
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	__asm__ volatile("xchg %1, %%rbp; int $0x80; xchg %1, %%rbp"
		: "=a"(ret), "+&r"(f) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}
#define P(x) ((long)(intptr_t)(x))

/* Ends the program if the kernel makes no i386 calls. Returns 65536 bytes that a 32-bit pointer can reach. */
static char *low_memory(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(call(20, 0, 0, 0, 0, 0, 0) != getpid());
	if (waitpid(child, &status, 0) != child || status) {
		fputs("skip: this kernel makes no i386 calls\n", stderr);
		exit(77);
	}
	return mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
}
#endif
