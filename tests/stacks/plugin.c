// A library: NAME is its function, and SIZE the bytes before that, so that two such libraries differ in their addresses.
#include <unistd.h>

__attribute__((used)) static const char padding[SIZE] = {1};

__attribute__((noinline, noipa)) void FILL(void)
{
    __asm__ volatile(".skip " STRING(SIZE) ", 0x90");
}

void NAME(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}
