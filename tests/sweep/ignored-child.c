// finds: dropped main openat error=EACCES
// A child fails as it should, and its parent does not look at its status.
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0) {
        int fd = open("made", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (fd < 0) {
            perror("made");
            _exit(1);
        }
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child) {
        perror("waitpid");
        return 1;
    }
#ifdef RIGHT
    if (status)
        return 1;
#endif
    return 0;
}
