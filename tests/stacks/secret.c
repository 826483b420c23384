// A process whose memory others may not look at, and which may gain no privileges.
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline, noipa)) void tell(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    tell();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    tell();
    return 0;
}
