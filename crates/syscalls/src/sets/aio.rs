//! Asynchronous I/O: io_submit(2), io_uring(7).
