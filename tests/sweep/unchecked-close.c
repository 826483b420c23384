// finds: lost save write error=EIO
// The text is written when the file is closed, and nobody looks whether that succeeds.
#include <stdio.h>

__attribute__((noinline)) static int save(void) {
    FILE *file = fopen("saved", "w");
    if (!file) {
        perror("saved");
        return 1;
    }
    fputs("all that matters\n", file);
#ifdef RIGHT
    if (fclose(file)) {
        perror("saved");
        return 1;
    }
#else
    fclose(file);
#endif
    return 0;
}

int main(void) {
    int failed = save();
    return failed;
}
