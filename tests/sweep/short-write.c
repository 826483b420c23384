// kinds: short
// finds: lost save write short=3
// A write that takes less than all is taken for a whole one.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static int save(int fd, const char *text, size_t size) {
#ifdef RIGHT
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0) {
            perror("save");
            return 1;
        }
        text += n;
        size -= n;
    }
#else
    if (write(fd, text, size) < 0) {
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
    int failed = save(fd, "all that matters\n", 17);
    if (close(fd)) {
        perror("saved");
        return 1;
    }
    return failed;
}
