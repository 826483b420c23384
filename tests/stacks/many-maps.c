// Code in as many places as the kernel allows, and calls in the midst of that. The argument says how many places. Another thread makes
// them, so that a tracer without -f does not stop each time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long places;

__attribute__((noinline, noipa)) void tell(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

static void *map(void *unused)
{
    long page = 4096;
    // Every other page is code, so no two mappings are merged.
    char *area = mmap(NULL, 2 * places * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    for (long i = 0; area != MAP_FAILED && i < places; i++)
        if (mprotect(area + 2 * i * page, page, PROT_READ | PROT_EXEC))
            break;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    places = atol(argv[1]);
    pthread_create(&thread, NULL, map, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 3; i++)
        tell();
    return 0;
}
