// finds: crash load openat error=EACCES
// A file that cannot be opened is read all the same.
#include <stdio.h>

__attribute__((noinline)) static int load(void) {
    char line[64];
    FILE *file = fopen("input", "r");
#ifdef RIGHT
    if (!file) {
        perror("input");
        return 1;
    }
#endif
    char *first = fgets(line, sizeof line, file);
    fclose(file);
    return !first;
}

int main(void) {
    int failed = load();
    return failed;
}
