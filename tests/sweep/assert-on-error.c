// finds: crash check newfstatat error=EACCES
// An error of the system is taken for one of the program.
#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>

__attribute__((noinline)) static int check(void) {
    struct stat facts;
    int failed = stat("input", &facts);
#ifdef RIGHT
    if (failed) {
        perror("input");
        return 1;
    }
#endif
    assert(!failed);
    return facts.st_size == 0;
}

int main(void) {
    int failed = check();
    return failed;
}
