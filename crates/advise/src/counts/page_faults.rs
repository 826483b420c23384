//! The price of page faults, which are no calls.

use stride_event::Ns;

const PAGE: u64 = 4096;

/// The time that a fault of a fresh page takes at most: the fault itself, zeroing the page, and giving the page back. On virtual machines the
/// processor looks pages up in two tables.
const FAULT_AT_MOST: Ns = 2_000;

/// The time that a program spends at most if it touches all pages of so many fresh bytes. It may touch none of them.
pub fn touching_at_most(bytes: u64) -> Ns {
    (bytes / PAGE).saturating_mul(FAULT_AT_MOST)
}
