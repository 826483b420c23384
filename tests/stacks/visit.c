// A library for crowd.c: NAME is one of its own functions.
#include <unistd.h>

__attribute__((noinline, noipa)) void NAME(void)
{
    write(-1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

void visit(void)
{
    NAME();
    __asm__ volatile("" ::: "memory");
}
