// finds: leak check read error=EIO
// Each file that cannot be read stays open, and the next one is opened.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int check(const char *path) {
    char text[16];
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    if (read(fd, text, sizeof text) < 0) {
        perror(path);
#ifdef RIGHT
        close(fd);
#endif
        return 1;
    }
    close(fd);
    return 0;
}

int main(void) {
    int failed = 0;
    for (int i = 0; i < 3; i++)
        failed |= check("input");
    return failed;
}
