// Loads one library after the other, most likely at the same address, so that each time other code is there.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noipa))

KEEP static void use(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*function)(void) = library ? (void (*)(void))dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    function();
    dlclose(library);
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        use(argv[i], argv[i + 1]);
    return 0;
}
