//! Waiting for descriptors: poll(2), select(2), epoll(7).

use crate::sets;

sets! {
    /// asm-generic/poll.h
    pub POLL "POLL???" {
        POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL, POLLRDNORM, POLLRDBAND, POLLWRNORM, POLLWRBAND,
        POLLMSG, POLLREMOVE, POLLRDHUP, POLLFREE, POLL_BUSY_LOOP
    }
    /// linux/eventpoll.h
    pub EPOLL_EVENTS "EPOLL???" {
        EPOLLIN, EPOLLPRI, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLNVAL, EPOLLRDNORM, EPOLLRDBAND, EPOLLWRNORM,
        EPOLLWRBAND, EPOLLMSG, EPOLLRDHUP, EPOLLEXCLUSIVE, EPOLLWAKEUP, EPOLLONESHOT, EPOLLET
    }
    /// linux/eventpoll.h
    pub EPOLL_CTL "EPOLL_CTL_???" {
        EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD
    }
    /// linux/eventpoll.h
    pub EPOLL_FLAGS "EPOLL_???" {
        EPOLL_CLOEXEC
    }
}
