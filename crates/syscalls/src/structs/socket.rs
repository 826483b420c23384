//! Messages and their parts.
