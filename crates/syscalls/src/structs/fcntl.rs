//! fcntl(2), flock(2) and leases.
