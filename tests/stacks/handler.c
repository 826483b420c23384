// A signal handler on a stack of its own, which lies below the stack that it interrupts.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef FLAGS
#define FLAGS 0
#endif

#define KEEP __attribute__((noinline, noipa))

KEEP void report(void)
{
    write(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

static void handler(int signal)
{
    (void)signal;
    report();
    __asm__ volatile("" ::: "memory");
}

KEEP void interrupted(void)
{
    volatile int *nothing = NULL;
    // This is not a call: the signal comes in the middle of the function.
    *nothing = 1;
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESETHAND | FLAGS};
    sigaction(SIGSEGV, &action, NULL);
    interrupted();
    return 0;
}
