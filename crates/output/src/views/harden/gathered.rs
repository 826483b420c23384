//! Each call says something about what the program needs.

use super::access::AccessOfRun;
use super::bounding;
use super::capabilities;
use super::evidence::{HardenEvidence, SeenRun};
use super::files::{self, Links};
use super::guards::{Guard, needed};
use super::reachable::{self, CodeFiles};
use super::{places, sockets};
use crate::spelling::names;
use crate::spelling::quote::shown;
use crate::views::inputs::{InputsOfRun, UserId, manager};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use stride_decode::Resolver;
use stride_event::{Call, Event, Outcome};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, Effect, Syscall, Thing, sets, table};
use stride_track::{Seen, Tracker, base_name};

/// The uses that are told apart. Further ones are those of other programs.
const MAX_USES: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// The needs of the run so far.
#[derive(Default)]
pub struct NeededByRun {
    files: InputsOfRun,
    calls: CountedUses<(Abi, u64)>,
    families: CountedUses<(u64, &'static str)>,
    guards: CountedUses<(Guard, &'static str)>,
    sockets: CountedUses<(u64, u64, &'static str)>,
    capabilities: CountedUses<(u64, &'static str)>,
    may_need: CountedUses<(u64, &'static str)>,
    signals: CountedUses<(i32, &'static str)>,
    /// The files, if the rules are about them.
    accessed: Option<AccessOfRun>,
    /// The programs of service managers, whose children became services, and the programs that these executed. A manager's child has the manager's own name
    /// in its first calls.
    managers: FxHashSet<UserId>,
    /// A process of the run was in a container, so its paths lead elsewhere than Stride's.
    in_container: bool,
    services: FxHashSet<UserId>,
}

/// How often each program used something.
struct CountedUses<K>(FxHashMap<(K, UserId), u64>);

impl<K> Default for CountedUses<K> {
    fn default() -> CountedUses<K> {
        CountedUses(FxHashMap::default())
    }
}

impl<K: Copy + Eq + Hash + Ord> CountedUses<K> {
    fn add(&mut self, key: K, program: UserId) {
        let has_room = self.0.len() < MAX_USES || self.0.contains_key(&(key, program));
        *self.0.entry((key, if has_room { program } else { UserId::OTHERS })).or_default() += 1;
    }

    /// In order, so that the same run has the same rules. Uses by some programs are left out.
    fn sorted(&self, without: &FxHashSet<UserId>) -> Vec<(K, UserId, u64)> {
        let wanted = self.0.iter().filter(|((_, program), _)| !without.contains(program));
        let mut all: Vec<_> = wanted.map(|(&(key, program), &times)| (key, program, times)).collect();
        all.sort_unstable();
        all
    }
}

impl NeededByRun {
    /// The files are gathered, too.
    pub fn with_files() -> NeededByRun {
        NeededByRun { accessed: Some(AccessOfRun::default()), ..NeededByRun::default() }
    }

    /// Asks for the files that the kernel opened to start a program. False: that cannot be told.
    pub fn ask_interpreters(&mut self, call: &Call, resolver: &dyn Resolver, tracker: &Tracker) -> bool {
        self.files.ask_interpreters(call, resolver, tracker)
    }

    pub fn files(&self) -> &InputsOfRun {
        &self.files
    }

    pub fn calls(&self) -> u64 {
        self.files.calls
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.files.event(event, tracker);
        let Event::Exit(call) = *event else { return };
        let Some(seen) = tracker.seen() else { return };
        if manager::is_before_program(call, tracker) {
            self.managers.insert(self.files.programs.of(seen.pid, tracker));
            return;
        }
        if manager::is_start(call, tracker) {
            self.services.insert(self.files.programs.of(seen.pid, tracker));
        }
        self.call(call, seen, tracker);
    }

    fn call(&mut self, call: &Call, seen: &Seen, tracker: &Tracker) {
        let program = self.files.programs.of(seen.pid, tracker);
        self.in_container |= call.container.is_some();
        if let Some(row) = call.row() {
            self.facilities(call, row, program, manager::is_start(call, tracker));
            for (capabilities, reason) in bounding::may_need(call, row, seen, tracker) {
                capabilities.tellable().for_each(|capability| self.may_need.add((capability, reason), program));
            }
            if matches!(call.outcome, Outcome::Value(_)) {
                self.succeeded(call, row, program, tracker);
            }
        }
        // (exit(2) and the last call of a killed thread have no outcome, and are calls.)
        self.calls.add((call.abi, call.nr), program);
    }

    /// `is_start`: a service manager's child has executed the program.
    fn facilities(&mut self, call: &Call, row: &'static Syscall, program: UserId, is_start: bool) {
        if let Some(guard) = needed(call, row) {
            self.guards.add((guard, row.name), program);
        }
        let makes_socket = matches!(row.makes(), Some(Thing::Socket | Thing::SocketPair));
        if let Some(family) = call.arg("domain").filter(|_| makes_socket) {
            self.families.add((family, row.name), program);
            self.sockets.add((family, call.flags("type") & c::SOCK_TYPE_MASK, row.name), program);
        }
        let executes = row.has_effect(Effect::Executes) && call.outcome == Outcome::Value(0);
        if executes && !is_start && self.calls.0.len() > 1 {
            self.guards.add((Guard::OtherPrograms, row.name), program);
        }
    }

    fn succeeded(&mut self, call: &Call, row: &'static Syscall, program: UserId, tracker: &Tracker) {
        if let Some(capability) = capabilities::needed(call, row) {
            self.capabilities.add((capability, row.name), program);
        }
        let signal = call.arg("signum").map(|signal| signal as i32).filter(|_| row.has_effect(Effect::SendsSignal));
        if let Some(signal @ 0..=64) = signal {
            self.signals.add((signal, row.name), program);
        }
        if row.has_effect(Effect::TracesProcess) {
            self.guards.add((Guard::TracedProcesses, row.name), program);
        }
        if let (Some(accessed), Some(seen)) = (&mut self.accessed, tracker.seen()) {
            accessed.call(call, row, seen, program, tracker);
        }
    }

    /// All of it, at the end.
    pub fn evidence(&mut self, run: SeenRun, links: &dyn Links, code: Option<&dyn CodeFiles>) -> HardenEvidence {
        let mut evidence = HardenEvidence::of(SeenRun { has_files: self.accessed.is_some(), ..run });
        let name = |program| shown(base_name(self.files.programs.path(program)));
        let managers = self.managers.difference(&self.services).copied();
        let managers: FxHashSet<UserId> = managers.filter(|program| *program != UserId::OTHERS).collect();
        for ((abi, nr), program, times) in self.calls.sorted(&managers) {
            let Some(entry) = table(abi).get(nr) else { continue };
            let of = evidence.calls.entry(entry.row.name.to_owned()).or_default();
            of.abis.insert(abi.name().to_owned());
            of.used.add(times, &name(program), "");
        }
        for ((family, call), program, times) in self.families.sorted(&managers) {
            evidence.families.entry(family_name(family)).or_default().add(times, &name(program), call);
        }
        for ((guard, call), program, times) in self.guards.sorted(&managers) {
            evidence.guards.entry(guard).or_default().add(times, &name(program), call);
        }
        for ((family, kind, call), program, times) in self.sockets.sorted(&managers) {
            let socket = format!("{} {}", family_name(family), type_name(kind));
            evidence.sockets.entry(socket).or_default().add(times, &name(program), call);
        }
        for ((capability, call), program, times) in self.capabilities.sorted(&managers) {
            let Some(capability) = sets::creds::CAP.name_of(capability) else { continue };
            evidence.capabilities.entry(capability.to_owned()).or_default().add(times, &name(program), call);
        }
        for ((capability, reason), program, times) in self.may_need.sorted(&managers) {
            let Some(capability) = sets::creds::CAP.name_of(capability) else { continue };
            evidence.may_need.entry(capability.to_owned()).or_default().add(times, &name(program), reason);
        }
        for ((signal, call), program, times) in self.signals.sorted(&managers) {
            evidence.signals.entry(signal_name(signal)).or_default().add(times, &name(program), call);
        }
        match code {
            None => _ = evidence.code_unknown.insert("a replay reads no files of programs".to_owned()),
            Some(_) if self.in_container || self.files.paths_changed => {
                evidence.code_unknown.insert(
                    "processes saw other files by the same names, in a container or another root directory".to_owned(),
                );
            }
            Some(code) => reachable::add(&self.files, &managers, links, code, &mut evidence),
        }
        places::of(&self.files, &mut evidence);
        sockets::add(&self.files, &mut evidence);
        if let Some(accessed) = &mut self.accessed {
            accessed.add_known(&self.files);
            files::add(accessed, &self.files, links, &mut evidence);
        }
        evidence
    }
}

/// `SIGTERM`, or `0`, which only asks whether there is such a process.
fn signal_name(signal: i32) -> String {
    let mut name = Vec::new();
    names::signal(&mut name, signal);
    String::from_utf8_lossy(&name).into_owned()
}

fn type_name(kind: u64) -> String {
    sets::socket::SOCK_TYPE.name_of(kind).map_or_else(|| format!("SOCK_{kind}"), str::to_owned)
}

fn family_name(family: u64) -> String {
    sets::socket::FAMILY.name_of(family).map_or_else(|| format!("AF_{family}"), str::to_owned)
}
