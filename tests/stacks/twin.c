/* One of two libraries that differ only in the names of their functions. */
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void NAME(void)
{
	syscall(SYS_getpriority, 7, 0);
	asm volatile("" ::: "memory");
}

void call(void)
{
	NAME();
	asm volatile("" ::: "memory");
}
