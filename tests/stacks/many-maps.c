// Code in as many places as the kernel allows, and a call in the midst of that. The argument says how many places.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline, noipa)) void tell(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    long places = atol(argv[1]), page = 4096;
    // Every other page is code, so no two mappings are merged.
    char *area = mmap(NULL, 2 * places * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (area == MAP_FAILED)
        return 1;
    for (long i = 0; i < places; i++)
        if (mprotect(area + 2 * i * page, page, PROT_READ | PROT_EXEC))
            break;
    for (int i = 0; i < 3; i++)
        tell();
    return 0;
}
