//! Paths: stat, link, rename, permissions, directories.
