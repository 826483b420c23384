// Puts another file in the place of the program, while the program runs. Arguments: the other file, and the program's own name.
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline, noipa)) void tell(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    if (rename(argv[1], argv[2]))
        return 1;
    tell();
    return 0;
}
