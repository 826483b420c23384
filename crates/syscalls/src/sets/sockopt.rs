//! Socket options.
