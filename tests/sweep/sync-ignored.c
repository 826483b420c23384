// finds: wrong-status replace fsync error=EIO
// The old file is kept, as it should be, but the status does not tell.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) static int replace(int fd) {
    if (fsync(fd)) {
        perror("input");
#ifdef RIGHT
        return 1;
#else
        return 0;
#endif
    }
    if (rename("new", "input")) {
        perror("input");
        return 1;
    }
    return 0;
}

int main(void) {
    int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, "three\n", 6) != 6) {
        perror("new");
        return 1;
    }
    int failed = replace(fd);
    if (close(fd)) {
        perror("new");
        return 1;
    }
    return failed;
}
