//! System V IPC and POSIX message queues.
