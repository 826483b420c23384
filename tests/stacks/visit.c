// A library for crowd.c.
#include <unistd.h>

__attribute__((noinline, noipa)) static void tell(void)
{
    write(-1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

void visit(void)
{
    tell();
    __asm__ volatile("" ::: "memory");
}
