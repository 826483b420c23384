// Processes that all have the same libraries and use them, and stay until the last one has. Arguments: how many processes, and the
// libraries.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

static void (*functions[1000])(void);

KEEP static void load(char **libraries)
{
    for (int i = 0; libraries[i]; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW);

        functions[i] = library ? (void (*)(void))dlsym(library, "visit") : NULL;
        if (!functions[i])
            exit(1);
    }
}

KEEP static void use(void)
{
    for (int i = 0; functions[i]; i++)
        functions[i]();
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]), used[2], over[2], bad = 0;
    char byte;

    pipe(used);
    pipe(over);
    load(argv + 2);
    for (int i = 0; i < count; i++)
        if (!fork()) {
            close(over[1]);
            use();
            write(used[1], "x", 1);
            read(over[0], &byte, 1);
            _exit(0);
        }
    for (int i = 0; i < count; i++)
        read(used[0], &byte, 1);
    close(over[1]);
    for (int status; wait(&status) > 0;)
        bad |= status;
    return bad != 0;
}
