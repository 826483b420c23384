// finds: hang main clone3 error=EAGAIN
// A thread that cannot be made is waited for.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t done;

static void *work(void *unused) {
    sem_post(&done);
    return NULL;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    int error = pthread_create(&thread, NULL, work, NULL);
#ifdef RIGHT
    if (error) {
        fprintf(stderr, "no thread\n");
        return 1;
    }
#endif
    sem_wait(&done);
    return 0;
}
