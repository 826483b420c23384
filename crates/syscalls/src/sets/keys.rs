//! Keyrings and landlock(7).
