// finds: lost replace ftruncate error=EIO
// A file gets a shorter text, and the rest of the longer one may stay.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int replace(const char *path) {
    int fd = open(path, O_RDWR);
    if (fd < 0 || pwrite(fd, "1\n", 2, 0) != 2) {
        perror(path);
        return 1;
    }
    int result = ftruncate(fd, 2);
#ifdef RIGHT
    if (result) {
        perror(path);
        return 1;
    }
#else
    (void)result;
#endif
    if (close(fd)) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(void) {
    int failed = replace("input");
    return failed;
}
