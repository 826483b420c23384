//! ioctl(2).
