// finds: crash load mmap error=ENOMEM
// A table is mapped, and nobody looks whether it is there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (1 << 20)

__attribute__((noinline)) static char *load(void) {
    char *table = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef RIGHT
    if (table == MAP_FAILED) {
        perror("load");
        exit(1);
    }
#endif
    memset(table, 'x', SIZE);
    return table;
}

int main(void) {
    char *table = load();
    printf("%c\n", table[SIZE / 2]);
    munmap(table, SIZE);
    return fflush(stdout) ? 1 : 0;
}
