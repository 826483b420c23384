// kinds: eintr
// finds: lost collect read error=EINTR
// A read that a signal interrupts is taken for the end of the data.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int collect(int fd, char *to, int size) {
    int all = 0;
    for (;;) {
        ssize_t n = read(fd, to + all, size - all);
#ifdef RIGHT
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            perror("collect");
            exit(1);
        }
#endif
        if (n <= 0)
            return all;
        all += n;
    }
}

int main(void) {
    int ends[2];
    if (pipe(ends)) {
        perror("pipe");
        return 1;
    }
    char text[64];
    if (write(ends[1], "all that matters\n", 17) != 17) {
        perror("write");
        return 1;
    }
    close(ends[1]);
    int n = collect(ends[0], text, sizeof text);
    printf("%.*s", n, text);
    return fflush(stdout) ? 1 : 0;
}
