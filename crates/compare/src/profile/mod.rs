//! A finished tally, with names that can be compared with another run's.

pub mod callers;
pub mod figures;
pub mod median;
pub mod normal;
pub mod range;

use crate::diff::noise;
use crate::profile::callers::{SyscallCallers, callers};
use crate::profile::figures::{Figures, Row};
use crate::profile::normal::normal;
use crate::tally::{Subject, Tally};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use stride_event::Ns;
use stride_output::End;
use stride_track::ObjectKind;

#[derive(Debug, Default)]
pub struct Object {
    pub row: Row,
    /// The object's calls by syscall.
    pub calls: BTreeMap<Rc<str>, u64>,
}

#[derive(Debug, Default)]
pub struct Profile {
    /// All system calls.
    pub total: Figures,
    /// By name: system calls, and operations of io_uring.
    pub calls: BTreeMap<Rc<str>, Row>,
    /// The functions that made these calls, if their stacks are known.
    pub callers: BTreeMap<Rc<str>, SyscallCallers>,
    /// The objects of the calls: paths, sockets, pipes. The names may contain any bytes.
    pub objects: BTreeMap<Rc<[u8]>, Object>,
    /// The directory in which the run began.
    pub home: Option<Rc<[u8]>>,
    pub processes: u64,
    /// The run had only one thread, so it makes the same calls each time.
    pub alone: bool,
    pub elapsed: Ns,
    pub lost_calls: u64,
    pub lost_threads: u64,
    /// The number of recordings of the run. The figures are the medians of all.
    pub recordings: usize,
}

impl Profile {
    /// Covers the syscalls for which `wanted` returns true.
    pub fn new(tally: &Tally, end: &End<'_>, wanted: &dyn Fn(&str) -> bool) -> Profile {
        let mut profile = Profile {
            home: tally.home().map(|home| Rc::from(&normal(end.tracker.name(home), tally.ids(), false)[..])),
            callers: callers(tally, end.with_source),
            processes: tally.processes(),
            alone: tally.ids().len() <= 1,
            elapsed: tally.elapsed(),
            lost_calls: end.lost.calls,
            lost_threads: end.lost.threads,
            recordings: 1,
            ..Profile::default()
        };
        for call in tally.calls().filter(|call| wanted(&call.name)) {
            profile.total.add(&call.all);
            let all = noise::wavers(&call.name);
            profile.calls.entry(call.name.clone()).or_default().add(&call.all, all);
        }
        for operation in tally.operations() {
            let all = noise::wavers(&operation.name);
            profile.calls.entry(operation.name.clone()).or_default().add(&operation.all, all);
        }
        let removed = tally.removed();
        let mut names: HashMap<Subject, Rc<[u8]>> = HashMap::new();
        for (call, about, figures) in
            tally.by_subject_with_operations().filter(|(call, ..)| call.is_operation || wanted(&call.name))
        {
            let name = names.entry(about).or_insert_with(|| match about {
                Subject::Object(object) => {
                    Rc::from(&normal(end.tracker.name(object), tally.ids(), removed.contains(&object))[..])
                }
                Subject::Streams => Rc::from(&b"(standard streams)"[..]),
                Subject::Others => Rc::from(&b"(others)"[..]),
            });
            let unsteady = match about {
                Subject::Object(object) => end.tracker.kind(object) != ObjectKind::Path,
                Subject::Streams => false,
                Subject::Others => true,
            };
            let by_name = noise::wavers(&call.name);
            let of = profile.objects.entry(name.clone()).or_default();
            // The calls on standard streams depend on where the streams go: a terminal, a file, /dev/null.
            of.row.add(figures, unsteady || by_name || about == Subject::Streams);
            *of.calls.entry(call.name.clone()).or_default() += figures.calls;
            if unsteady
                && !by_name
                && let Some(row) = profile.calls.get_mut(&call.name)
            {
                row.wavering += figures.calls;
            }
        }
        profile
    }

    /// Makes names below the run's first directory relative to that directory, for a run that began elsewhere.
    pub fn make_relative(&mut self) {
        let Some(home) = self.home.take() else { return };
        let relative = |name: Rc<[u8]>| match name.strip_prefix(&*home) {
            Some([]) => Rc::from(&b"."[..]),
            Some(rest @ [b'/', ..]) => Rc::from([b".", rest].concat()),
            _ => name,
        };
        self.objects = std::mem::take(&mut self.objects).into_iter().map(|(name, of)| (relative(name), of)).collect();
    }
}
