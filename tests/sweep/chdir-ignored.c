// finds: lost enter chdir error=EACCES
// The working directory stays another one, and a file is made there.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) static int enter(const char *path) {
    if (mkdir(path, 0755)) {
        perror(path);
        return 1;
    }
    int result = chdir(path);
#ifdef RIGHT
    if (result) {
        perror(path);
        return 1;
    }
#else
    (void)result;
#endif
    return 0;
}

int main(void) {
    if (enter("place")) return 1;
    int fd = open("result", O_WRONLY | O_CREAT, 0644);
    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd)) {
        perror("result");
        return 1;
    }
    return 0;
}
