// kinds: error,delay
// finds: lost update flock error=ENOLCK
// A lock that is not given is not needed either, the program thinks, and leaves the work out.
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

__attribute__((noinline)) static int update(int fd) {
    if (flock(fd, LOCK_EX)) {
#ifdef RIGHT
        perror("saved");
        return 1;
#else
        return 0;
#endif
    }
    if (write(fd, "more\n", 5) != 5) {
        perror("saved");
        return 1;
    }
    return 0;
}

int main(void) {
    int fd = open("saved", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) {
        perror("saved");
        return 1;
    }
    int failed = update(fd);
    if (close(fd)) {
        perror("saved");
        return 1;
    }
    return failed;
}
