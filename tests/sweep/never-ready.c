// finds: hang load openat error=EACCES
// A thread that cannot load its data does not tell those who wait for them.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int state;

static void tell(int now) {
    pthread_mutex_lock(&lock);
    state = now;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void *load(void *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        perror(path);
#ifdef RIGHT
        tell(-1);
#endif
        return NULL;
    }
    close(fd);
    tell(1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    int error = pthread_create(&thread, NULL, load, "input");
    if (error) {
        fprintf(stderr, "thread: %s\n", strerror(error));
        return 1;
    }
    pthread_mutex_lock(&lock);
    while (!state) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return state < 0;
}
