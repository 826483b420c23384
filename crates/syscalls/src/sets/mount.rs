//! Mounting, quotas, swap.
