//! Sockets.
