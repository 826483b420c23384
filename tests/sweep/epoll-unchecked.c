// finds: endless serve epoll_create1 error=EMFILE
// Nothing can be waited for, and the loop goes on at once, for ever.
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

__attribute__((noinline)) static int serve(int from) {
    char byte;
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
#ifdef RIGHT
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, from, &event)) {
        perror("epoll");
        return 1;
    }
#else
    epoll_ctl(epoll, EPOLL_CTL_ADD, from, &event);
#endif
    for (;;) {
        int ready = epoll_wait(epoll, &event, 1, -1);
        if (ready != 1) continue;
        if (read(from, &byte, 1) == 1) return 0;
    }
}

int main(void) {
    int ends[2];
    if (pipe(ends) || write(ends[1], "x", 1) != 1) {
        perror("pipe");
        return 1;
    }
    return serve(ends[0]);
}
