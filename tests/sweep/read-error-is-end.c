// finds: lost count_lines read error=EIO
// A read that fails is taken for the end of the file.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static int count_lines(int fd) {
    char text[64];
    int lines = 0;
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0)
        for (int i = 0; i < n; i++)
            lines += text[i] == '\n';
#ifdef RIGHT
    if (n < 0) {
        perror("read");
        exit(1);
    }
#endif
    return lines;
}

int main(void) {
    int fd = open("input", O_RDONLY);
    if (fd < 0) {
        perror("input");
        return 1;
    }
    printf("%d\n", count_lines(fd));
    return fflush(stdout) ? 1 : 0;
}
