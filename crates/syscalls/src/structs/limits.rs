//! Resource limits and usage.
