// Machine code that is made while the program runs and described in /tmp/perf-PID.map. It keeps the frame pointer.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char CODE[] = {
    0x55,                               // push %rbp
    0x48, 0x89, 0xe5,                   // mov %rsp, %rbp
    0xb8, 0x01, 0x00, 0x00, 0x00,       // mov $1, %eax: write
    0x0f, 0x05,                         // syscall
    0x5d,                               // pop %rbp
    0xc3,                               // ret
};

__attribute__((noinline, noipa)) static void run(void (*made)(int, const char *, long))
{
    made(1, "marked\n", 7);
    __asm__ volatile("" ::: "memory");
}

int main(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(memory, CODE, sizeof CODE);
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    char name[64];
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(name, "w");
    fprintf(map, "%lx %zx made by hand\n", (long)memory, sizeof CODE);
    fclose(map);
    run((void (*)(int, const char *, long))memory);
    unlink(name);
    return 0;
}
