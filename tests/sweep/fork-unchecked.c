// finds: lost spawn clone error=EAGAIN
// A child is to do the work, and nobody looks whether there is one.
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(void) {
    int fd = open("result", O_WRONLY | O_CREAT, 0644);
    if (fd < 0 || write(fd, "done\n", 5) != 5 || close(fd)) {
        perror("result");
        return 1;
    }
    return 0;
}

__attribute__((noinline)) static int spawn(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(work());
#ifdef RIGHT
    if (child < 0) {
        perror("fork");
        return 1;
    }
#endif
    waitpid(child, &status, 0);
    return status != 0;
}

int main(void) {
    int failed = spawn();
    return failed;
}
