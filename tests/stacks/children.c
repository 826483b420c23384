// A child that shares its parent's memory, one that has its own, and one that runs another program.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

KEEP void borrowed(void)
{
    if (vfork() == 0) {
        write(1, "marked\n", 7);
        _exit(0);
    }
    wait(NULL);
}

KEEP void copied(void)
{
    if (fork() == 0) {
        write(1, "marked\n", 7);
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    wait(NULL);
}

int main(void)
{
    borrowed();
    copied();
    return 0;
}
