//! inotify(7), fanotify(7).
