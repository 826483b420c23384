/* A library whose functions are known. Tests trace them, with debug information and without. */
#include <string.h>

int add(int a, int b)
{
	return a + b;
}

long many(char a, short b, int c, long d, unsigned e, const char *f, long g, int h)
{
	return a + b + c + d + e + strlen(f) + g + h;
}

const char *greet(const char *name, double how_often)
{
	return how_often > 1 ? "hello" : NULL;
}

int twice(int (*function)(int, int), int n)
{
	return function(n, n);
}

void nothing(unsigned char flags, void *pointer)
{
	asm volatile("" :: "r"(flags), "r"(pointer));
}
