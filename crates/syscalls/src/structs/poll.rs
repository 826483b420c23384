//! Waiting: poll, select, epoll.
