//! Memory: mmap, protection, advice, NUMA.
