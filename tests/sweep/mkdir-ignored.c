// finds: lost prepare mkdir error=EACCES
// A directory is not made, and what should be in it is left out.
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

__attribute__((noinline)) static int prepare(void) {
    if (mkdir("made", 0755)) {
#ifdef RIGHT
        perror("made");
        return 1;
#else
        return 0;
#endif
    }
    int fd = open("made/file", O_WRONLY | O_CREAT, 0644);
    if (fd < 0) {
        perror("made/file");
        return 1;
    }
    close(fd);
    return 0;
}

int main(void) {
    int failed = prepare();
    return failed;
}
