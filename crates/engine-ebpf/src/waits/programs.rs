//! The programs that find out what threads wait for (bpf/waits.bpf.c).

use crate::loading::ids::share_ids;
use crate::loading::iterate::iterate;
use crate::loading::programs::Programs;
use crate::loading::relocate;
use crate::wire::{WaitsSkel, WaitsSkelBuilder};
use libbpf_rs::Link;
use libbpf_rs::skel::OpenSkel;

/// The loaded programs, attached until they are dropped.
pub struct WaitPrograms {
    _skel: WaitsSkel<'static>,
    _links: Vec<Link>,
}

impl WaitPrograms {
    /// Loads and attaches the programs.
    pub fn attach(programs: &Programs) -> libbpf_rs::Result<WaitPrograms> {
        let mut open = relocate::open(programs.types(), WaitsSkelBuilder::default())?;
        open.maps.ring.reuse_fd(programs.rings()[0])?;
        open.maps.tasks.reuse_fd(programs.tasks())?;
        share_ids!(open, programs);
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            rodata.ring_call_limit = programs.ring_call_limit();
        }
        let skel = open.load()?;
        let p = &skel.progs;
        let mut links = vec![p.on_fork.attach()?];
        // Threads that begin meanwhile have their states already.
        iterate(&p.begin_all.attach()?)?;
        let others = [
            &p.on_device_begins,
            &p.on_device_ends,
            &p.on_timer_begins,
            &p.on_timer_ends,
            &p.on_softirq_begins,
            &p.on_softirq_ends,
            &p.on_own_packet,
            &p.on_waking,
            &p.on_switch,
        ];
        for program in others {
            links.push(program.attach()?);
        }
        Ok(WaitPrograms { _skel: skel, _links: links })
    }
}
