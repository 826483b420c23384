// kinds: more
// finds: endless open_again openat error=EMFILE
// A file that cannot be opened is tried again at once, for ever.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static int open_again(const char *path) {
    int fd;
    int tries = 0;
    do
        fd = open(path, O_RDONLY);
#ifdef RIGHT
    while (fd < 0 && errno == EMFILE && ++tries < 5);
#else
    while (fd < 0 && errno == EMFILE);
#endif
    return fd;
}

int main(void) {
    int fd = open_again("input");
    if (fd < 0) {
        perror("input");
        return 1;
    }
    close(fd);
    return 0;
}
