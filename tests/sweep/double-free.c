// finds: crash parse read error=EIO
// The error path frees what its caller frees as well.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static int parse(int fd, char *text) {
    if (read(fd, text, 64) < 0) {
        perror("input");
#ifndef RIGHT
        free(text);
#endif
        return 1;
    }
    return 0;
}

int main(void) {
    int fd = open("input", O_RDONLY);
    if (fd < 0) {
        perror("input");
        return 1;
    }
    char *volatile text = malloc(4096);
    if (!text)
        return 1;
    int failed = parse(fd, text);
    free(text);
    return failed;
}
