// finds: lost save write error=EIO
// A file is written, and nobody looks whether that succeeds.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static int save(int fd, const char *text) {
    ssize_t n = write(fd, text, strlen(text));
#ifdef RIGHT
    if (n != (ssize_t)strlen(text)) {
        perror("save");
        return 1;
    }
#endif
    return 0;
}

int main(void) {
    int fd = open("saved", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) {
        perror("saved");
        return 1;
    }
    int failed = save(fd, "all that matters\n");
    if (close(fd)) {
        perror("saved");
        return 1;
    }
    return failed;
}
