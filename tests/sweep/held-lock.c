// finds: hang save openat error=EACCES
// A lock that is taken is not given back after an error.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int save(const char *path) {
    pthread_mutex_lock(&lock);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    if (fd < 0) {
        perror(path);
#ifdef RIGHT
        pthread_mutex_unlock(&lock);
#endif
        return 1;
    }
    close(fd);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    int first = save("one");
    return save("two") | first;
}
