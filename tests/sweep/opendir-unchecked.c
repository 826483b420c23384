// finds: crash list openat error=EACCES
// A directory that cannot be opened is listed all the same.
#include <dirent.h>
#include <stdio.h>

__attribute__((noinline)) static int list(const char *path) {
    int entries = 0;
    DIR *directory = opendir(path);
#ifdef RIGHT
    if (!directory) {
        perror(path);
        return -1;
    }
#endif
    while (readdir(directory)) entries++;
    closedir(directory);
    return entries;
}

int main(void) {
    int entries = list(".");
    return entries < 3;
}
