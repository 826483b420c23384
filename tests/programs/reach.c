/* A program whose code can make calls that it does not make, in the ways that `--harden` follows. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* A function of the C library, by its name. */
static __attribute__((noinline)) int by_name(void)
{
	return chown("/nowhere", 0, 0);
}

/* The number goes through two functions. */
static __attribute__((noinline)) long passed_on(long number, long word)
{
	return syscall(number, word);
}

static __attribute__((noinline)) int by_number(void)
{
	return passed_on(SYS_getpgid, 0) < 0 ? passed_on(SYS_getsid, 0) : 0;
}

/* The number is one of two. */
static __attribute__((noinline)) int by_choice(int which)
{
	long number = SYS_sync;

	if (which) {
		puts("all");
		number = SYS_mlockall;
	}
	return syscall(number, 0);
}

/* The instruction itself, with the number behind a jump. */
static __attribute__((noinline)) long by_instruction(void)
{
	long result;
#ifdef __x86_64__
	__asm__ volatile("mov %1, %%eax; jmp 1f; nop; 1: syscall" : "=&a"(result) : "i"(SYS_vhangup) : "rcx", "r11", "memory");
#else
	register long number __asm__("x8") = SYS_vhangup;
	register long word __asm__("x0");

	__asm__ volatile("svc 0" : "=r"(word) : "r"(number) : "memory");
	result = word;
#endif
	return result;
}

/* A number that nobody can know. */
static __attribute__((noinline)) long by_input(const char *number)
{
	return syscall(atol(number));
}

/* The way leads through a table. */
static int (*const table[])(void) = { by_name, by_number };

int main(int argc, char **argv)
{
	if (argc > 9)
		return by_choice(argc) + by_instruction() + by_input(argv[1]);
	if (argc > 1)
		return table[argc % 2]();
	puts("done");
	return 0;
}
