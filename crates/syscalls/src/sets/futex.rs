//! Locks: futex(2) and rseq(2).
