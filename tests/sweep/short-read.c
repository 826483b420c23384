// kinds: short
// finds: lost main read short=3
// A message from a pipe is read with one call.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char text[17];
    if (pipe(ends)) {
        perror("pipe");
        return 1;
    }
    if (write(ends[1], "all that matters\n", 17) != 17) {
        perror("write");
        return 1;
    }
    close(ends[1]);
    int size = 0;
    ssize_t n = 0;
#ifdef RIGHT
    while (size < (int)sizeof text && (n = read(ends[0], text + size, sizeof text - size)) > 0)
        size += n;
#else
    n = read(ends[0], text, sizeof text);
    size = n;
#endif
    if (n < 0) {
        perror("read");
        return 1;
    }
    printf("%.*s", size, text);
    return fflush(stdout) ? 1 : 0;
}
