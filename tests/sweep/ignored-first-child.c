// kinds: error
// finds: dropped part openat error=EACCES
// Two children write a part each. The parent looks at the end of the second one only, which is the first to come to any of the places.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int part(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    if (write(fd, "part\n", 5) != 5 || close(fd)) {
        perror(path);
        return 1;
    }
    return 0;
}

int main(void) {
    const char *names[] = {"one", "two"};
    pid_t children[2];
    int ends[2], status = 0, failed = 0;
    if (pipe(ends))
        return 1;
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] < 0) {
            perror("fork");
            return 1;
        }
        if (children[i] == 0) {
            char byte;
            close(ends[1]);
            /* The first child begins when the second one is over. */
            if (i == 0 && read(ends[0], &byte, 1) < 0)
                _exit(1);
            _exit(part(names[i]));
        }
    }
    close(ends[0]);
    waitpid(children[1], &status, 0);
    failed = status != 0;
    close(ends[1]);
#ifdef RIGHT
    waitpid(children[0], &status, 0);
    failed |= status != 0;
#else
    waitpid(children[0], NULL, 0);
#endif
    return failed;
}
