// Functions that are made while the program runs call each other in ever other orders: no two calls have the same stack.
// The arguments are the number of calls and their depth. The functions keep the frame pointer.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FUNCTIONS = 4096, SPACE = 32 };

static const unsigned char CODE[] = {
    0x55,                               // push %rbp
    0x48, 0x89, 0xe5,                   // mov %rsp, %rbp
    0x48, 0x8b, 0x07,                   // mov (%rdi), %rax
    0x48, 0x85, 0xc0,                   // test %rax, %rax
    0x74, 0x08,                         // je last
    0x48, 0x83, 0xc7, 0x08,             // add $8, %rdi
    0xff, 0xd0,                         // call *%rax
    0x5d,                               // pop %rbp
    0xc3,                               // ret
    0xb8, 0x6e, 0x00, 0x00, 0x00,       // last: mov $110, %eax: getppid
    0x0f, 0x05,                         // syscall
    0x5d,                               // pop %rbp
    0xc3,                               // ret
};

static unsigned char *code;

static void *any(void)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return code + state % FUNCTIONS * SPACE;
}

int main(int argc, char **argv)
{
    int calls = atoi(argv[1]), depth = atoi(argv[argc - 1]);
    void **next = calloc(depth + 1, sizeof *next);
    code = mmap(NULL, FUNCTIONS * SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < FUNCTIONS; i++)
        memcpy(code + i * SPACE, CODE, sizeof CODE);
    mprotect(code, FUNCTIONS * SPACE, PROT_READ | PROT_EXEC);
    for (int i = 0; i < calls; i++) {
        for (int level = 0; level < depth; level++)
            next[level] = any();
        ((void (*)(void **))any())(next);
    }
    return 0;
}
