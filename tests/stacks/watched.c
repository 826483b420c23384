// Functions whose return is watched, with others between them. `tail` jumps to its callee instead of calling it.
#include <unistd.h>

#ifndef TIMES
#define TIMES 1
#endif

#define KEEP __attribute__((noinline, noipa))

KEEP int writes(int n)
{
    return (int)write(1, "marked\n", 7) + n;
}

KEEP int watched_inner(int n)
{
    return writes(n) + 1;
}

KEEP int between(int n)
{
    return watched_inner(n) + 1;
}

KEEP int watched_outer(int n)
{
    return between(n) + 1;
}

KEEP int watched_tail(int n)
{
    return watched_outer(n);
}

KEEP int calls_tail(int n)
{
    return watched_tail(n) + 1;
}

// The same place, by two ways.
KEEP int other_way(int n)
{
    return watched_tail(n) + 2;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < TIMES; i++)
        sum += i % 2 ? other_way(i) : calls_tail(i);
    return !sum;
}
