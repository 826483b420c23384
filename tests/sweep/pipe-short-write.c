// kinds: short
// finds: lost feed write short=3
// A pipe may take a part of the text, and nobody sends the rest.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

static const char TEXT[] = "a line that is longer than a few bytes\n";

__attribute__((noinline)) static int feed(int to) {
    size_t left = strlen(TEXT);
    const char *from = TEXT;
#ifdef RIGHT
    while (left > 0) {
        ssize_t sent = write(to, from, left);
        if (sent < 0) {
            perror("pipe");
            return 1;
        }
        from += sent;
        left -= sent;
    }
#else
    if (write(to, from, left) < 0) {
        perror("pipe");
        return 1;
    }
#endif
    return close(to);
}

static int keep(int from) {
    char byte;
    FILE *copy = fopen("copy", "w");
    if (!copy) return 1;
    while (read(from, &byte, 1) == 1) fputc(byte, copy);
    return fclose(copy) != 0;
}

int main(void) {
    int ends[2], status;
    if (pipe(ends)) return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(keep(ends[0]));
    }
    close(ends[0]);
    int failed = feed(ends[1]);
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 || failed;
}
