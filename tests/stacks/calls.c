// Calls four deep. Each frame holds a value, so that the compiler neither drops nor merges frames.
#include <string.h>
#include <unistd.h>

#ifndef ROOM
#define ROOM 8000
#endif
#ifndef TIMES
#define TIMES 1
#endif

#define KEEP __attribute__((noinline, noipa))

KEEP void three(const char *text)
{
    char copy[64];
    strncpy(copy, text, sizeof copy);
    write(1, copy, strlen(text));
    __asm__ volatile("" ::"r"(copy) : "memory");
}

KEEP void two(int depth, const char *text)
{
    volatile char room[ROOM];
    room[0] = (char)depth;
    if (depth)
        two(depth - 1, text);
    else
        three(text);
    __asm__ volatile("" ::"r"(room) : "memory");
}

KEEP void one(const char *text)
{
    two(2, text);
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    for (int i = 0; i < TIMES; i++)
        one("marked\n");
    return 0;
}
