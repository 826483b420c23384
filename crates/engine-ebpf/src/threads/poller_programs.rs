//! The programs that find blocked or stopped threads (bpf/poller.bpf.c).

use crate::loading::ids::share_ids;
use crate::loading::iterate::iterate;
use crate::loading::programs::Programs;
use crate::loading::relocate;
use crate::wire::{PollerSkel, PollerSkelBuilder, bound};
use libbpf_rs::Link;
use libbpf_rs::skel::OpenSkel;
use stride_event::CallSet;
use stride_syscalls::Abi;

/// They are loaded when they are needed first: most programs end before there is anything to look for.
pub struct BlockedPrograms {
    skel: PollerSkel<'static>,
    link: Link,
}

impl BlockedPrograms {
    /// `calls`: those that are told. `guarded`: as in [`crate::loading::config::Config`].
    pub fn load(
        programs: &Programs,
        calls: &CallSet,
        ring_bytes: u32,
        guarded: bool,
    ) -> libbpf_rs::Result<BlockedPrograms> {
        let mut open = relocate::open(programs.types(), PollerSkelBuilder::default())?;
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            for &abi in Abi::SERVED {
                let numbers = bound::NUMBERS.0 as usize;
                for nr in (0..numbers).filter(|&nr| calls.contains(abi, nr as u64)) {
                    rodata.wanted[(abi as usize * numbers + nr) / 64] |= 1 << (nr % 64);
                }
            }
            rodata.want_unknown = calls.unknown;
            rodata.guarded = guarded;
            // Calls leave a sixteenth of the ring. Half of that may be used here.
            rodata.ring_limit = u64::from(ring_bytes - ring_bytes / 32);
        }
        share_ids!(open, programs);
        open.maps.ring.reuse_fd(programs.rings()[0])?;
        open.maps.tasks.reuse_fd(programs.tasks())?;
        let skel = open.load()?;
        let link = skel.progs.poller.attach()?;
        Ok(BlockedPrograms { skel, link })
    }

    /// Sends records of the blocked or stopped threads: those found blocked for the second time, or all.
    pub fn look(&mut self, at_once: bool) {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            bss.at_once = u32::from(at_once);
        }
        // (The next look may succeed.)
        let _ = iterate(&self.link);
    }
}
