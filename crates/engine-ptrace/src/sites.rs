//! Samples of stacks: unwinding a stopped thread takes longer than its stop.
//!
//! A site is a place from which calls are made: process, instruction and stack pointer. The first stacks of each site are all taken, so
//! that rare callers are found, too; then one of several, after a gap of random length, because a fixed one would meet the same caller
//! again and again where callers take turns. (The eBPF engine does the same in `bpf/sites.h`.)

use stride_event::Tid;

/// Stacks of a site that are all taken.
const FIRST: u32 = 8;
/// Calls between two samples behind these, at most: half as many on average.
const GAP: u32 = 128;
/// Several sites may count together.
const SITES: usize = 1 << 16;

#[derive(Clone, Copy, Default)]
struct Site {
    taken: u8,
    /// Calls to come without their stacks, and their number when the gap began.
    left: u8,
    gap: u8,
}

pub struct Sites {
    sites: Box<[Site]>,
    random: u64,
}

impl Default for Sites {
    fn default() -> Sites {
        Sites { sites: vec![Site::default(); SITES].into(), random: 0x9e37_79b9_7f4a_7c15 }
    }
}

impl Sites {
    /// The number of calls that the stack of this call stands for. None if the stack is not to be taken.
    pub fn take_sample(&mut self, process: Tid, ip: u64, sp: u64) -> Option<u32> {
        let site = &mut self.sites[index(process, ip, sp)];
        if u32::from(site.taken) < FIRST {
            site.taken += 1;
            return Some(1);
        }
        if site.left > 0 {
            site.left -= 1;
            return None;
        }
        let calls = u32::from(site.gap) + 1;
        // xorshift64: callers that take turns must not take them in step with the samples.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        site.gap = ((self.random >> 32) as u32 % GAP) as u8;
        site.left = site.gap;
        Some(calls)
    }
}

fn index(process: Tid, ip: u64, sp: u64) -> usize {
    let hash = (process as u64 ^ ip).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ sp;
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % SITES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_site_is_sampled_by_itself() {
        let mut sites = Sites::default();
        for sp in 0..4 {
            assert!((0..FIRST).all(|_| sites.take_sample(7, 0x1000, sp * 0x100) == Some(1)));
        }
    }

    #[test]
    fn samples_stand_for_all_calls() {
        let mut sites = Sites::default();
        let (all, mut samples, mut counted) = (100_000, 0, 0);
        // Two callers that take turns in one place: neither is favoured.
        let mut odd = 0;
        for i in 0..all {
            if let Some(calls) = sites.take_sample(7, 0x1000, 0x7ff0) {
                samples += 1;
                counted += calls;
                odd += if i % 2 == 1 { calls } else { 0 };
            }
        }
        assert!(counted <= all && counted > all - 2 * GAP, "{counted}");
        assert!((all / GAP..all / GAP * 4).contains(&samples), "{samples}");
        assert!((0.4..0.6).contains(&(f64::from(odd) / f64::from(counted))), "{odd} of {counted}");
    }
}
