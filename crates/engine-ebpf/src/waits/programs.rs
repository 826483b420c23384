//! The programs that find out what threads wait for (bpf/waits.bpf.c).

use crate::loading::ids::share_ids;
use crate::loading::iterate::iterate;
use crate::loading::programs::Programs;
use crate::loading::relocate;
use crate::wire::{WaitsSkel, WaitsSkelBuilder};
use libbpf_rs::Link;
use libbpf_rs::skel::OpenSkel;
use stride_event::TraceSpec;

/// The loaded programs, attached until they are dropped.
pub struct WaitPrograms {
    skel: WaitsSkel<'static>,
    /// Looks at each thread.
    each: Link,
    links: Vec<Link>,
}

/// The step that the iterator takes with each thread (`each_thread` in bpf/waits.bpf.c).
#[repr(u32)]
enum Step {
    GiveStates = 0,
    NoteSleeps = 1,
    TellWaits = 2,
}

impl WaitPrograms {
    /// Loads and attaches the programs if the trace measures waits. `guarded_for`: the user and group of a broker's client, who is told of threads within reach
    /// only. The programs must be attached before those that send the records of calls, because those records come last.
    pub fn wanted(
        programs: &Programs,
        spec: &TraceSpec,
        guarded_for: Option<(u32, u32)>,
    ) -> libbpf_rs::Result<Option<WaitPrograms>> {
        match spec.wants_waits().then(|| WaitPrograms::attach(programs, guarded_for)) {
            Some(Err(error)) if spec.waits => Err(error),
            attached => Ok(attached.and_then(Result::ok)),
        }
    }

    fn attach(programs: &Programs, guarded_for: Option<(u32, u32)>) -> libbpf_rs::Result<WaitPrograms> {
        let mut open = relocate::open(programs.types(), WaitsSkelBuilder::default())?;
        open.maps.ring.reuse_fd(programs.rings()[0])?;
        open.maps.tasks.reuse_fd(programs.tasks())?;
        share_ids!(open, programs);
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            rodata.ring_call_limit = programs.ring_call_limit();
            rodata.guarded = guarded_for.is_some();
        }
        if let (Some(bss), Some((uid, gid))) = (open.maps.bss_data.as_deref_mut(), guarded_for) {
            (bss.guarded_uid, bss.guarded_gid) = (uid, gid);
        }
        let skel = open.load()?;
        let (each, fork) = (skel.progs.each_thread.attach()?, skel.progs.on_fork.attach()?);
        let mut programs = WaitPrograms { skel, each, links: vec![fork] };
        // Threads that begin meanwhile have their states already.
        programs.look(Step::GiveStates)?;
        let p = &programs.skel.progs;
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
        let links: Vec<Link> = others.iter().map(|program| program.attach()).collect::<Result<_, _>>()?;
        programs.links.extend(links);
        Ok(programs)
    }

    /// Tracing of further threads has begun. Those that sleep do so from now on, as far as is known.
    pub fn note_sleeps(&mut self) {
        // (Otherwise their times begin with their next wait.)
        let _ = self.look(Step::NoteSleeps);
    }

    /// Ends measuring, and sends records of the waits that last. Calls are no longer seen to return by then.
    pub fn end(programs: &mut Option<WaitPrograms>) {
        if let Some(mut programs) = programs.take() {
            let _ = programs.look(Step::TellWaits);
        }
    }

    fn look(&mut self, step: Step) -> libbpf_rs::Result<()> {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            bss.step = step as u32;
        }
        iterate(&self.each)
    }
}
