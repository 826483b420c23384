//! User and group ids, capabilities.
