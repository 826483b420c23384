// Processes that all load all libraries, and stay until the last one has. Arguments: how many processes, and the libraries.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

KEEP static void load(char **libraries)
{
    for (; *libraries; libraries++) {
        void *library = dlopen(*libraries, RTLD_NOW);
        void (*function)(void) = library ? (void (*)(void))dlsym(library, "visit") : NULL;
        if (!function)
            _exit(1);
        function();
    }
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]), loaded[2], over[2], bad = 0;
    char byte;

    pipe(loaded);
    pipe(over);
    for (int i = 0; i < count; i++)
        if (!fork()) {
            close(over[1]);
            load(argv + 2);
            write(loaded[1], "x", 1);
            read(over[0], &byte, 1);
            _exit(0);
        }
    for (int i = 0; i < count; i++)
        read(loaded[0], &byte, 1);
    close(over[1]);
    for (int status; wait(&status) > 0;)
        bad |= status;
    return bad != 0;
}
