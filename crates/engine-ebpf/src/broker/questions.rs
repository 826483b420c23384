//! Two facts that a broker finds out with eBPF programs of its own (`bpf/broker.bpf.c`): whether rings of this kernel are safe to hand over, and
//! whether a client's rings are still in use.

use crate::ring;
use crate::wire::{BrokerSkel, BrokerSkelBuilder};
use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{ProgramInput, libbpf_sys};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// The rings of a client that has ended, as long as somebody holds them.
pub struct Remains(Vec<OwnedFd>);

impl Remains {
    pub fn of(rings: &[BorrowedFd<'_>]) -> libbpf_rs::Result<Remains> {
        let watch = |ring: &BorrowedFd<'_>| {
            let mut object = MaybeUninit::uninit();
            let mut open = BrokerSkelBuilder::default().open(&mut object)?;
            open.maps.ring.reuse_fd(*ring)?;
            open.progs.records_overlap.set_autoload(false);
            let skel = open.load()?;
            // The program keeps the ring, and this process no descriptor of it.
            Ok(skel.progs.is_held.as_fd().try_clone_to_owned()?)
        };
        rings.iter().map(watch).collect::<libbpf_rs::Result<_>>().map(Remains)
    }

    /// True if a process still has a descriptor of one of the rings, or has one mapped.
    pub fn are_held(&self) -> bool {
        self.0.iter().any(|program| {
            // SAFETY: plain numbers and pointers, for which zero stands for none.
            let mut options: libbpf_sys::bpf_test_run_opts = unsafe { std::mem::zeroed() };
            options.sz = size_of_val(&options) as libbpf_sys::size_t;
            // SAFETY: the descriptor is that of a program, and the options outlive the call.
            let done = unsafe { libbpf_sys::bpf_prog_test_run_opts(program.as_raw_fd(), &raw mut options) };
            done == 0 && options.retval != 0
        })
    }
}

/// True if a reader that sets its position in a ring to a wrong value cannot damage the ring (CVE-2024-41009).
pub fn rings_are_safe() -> libbpf_rs::Result<bool> {
    let mut object = MaybeUninit::uninit();
    let mut open = BrokerSkelBuilder::default().open(&mut object)?;
    open.maps.ring.set_max_entries(ring::page_size() as u32)?;
    open.progs.is_held.set_autoload(false);
    let skel: BrokerSkel<'_> = open.load()?;
    // The size of a record in a ring: with its header, in steps of eight bytes.
    const RECORD: u64 = 3008;
    ring::set_position(skel.maps.ring.as_fd(), RECORD)?;
    let overlap = skel.progs.records_overlap.test_run(ProgramInput::default())?;
    Ok(overlap.return_value == 0)
}
