// finds: lost publish rename error=EACCES
// The new file does not get its name, and nobody notices.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int publish(void) {
#ifdef RIGHT
    if (rename("new", "published")) {
        perror("published");
        return 1;
    }
#else
    rename("new", "published");
#endif
    return 0;
}

int main(void) {
    FILE *file = fopen("new", "w");
    if (!file || fputs("all that matters\n", file) < 0 || fclose(file)) {
        perror("new");
        return 1;
    }
    int failed = publish();
    return failed;
}
