//! Each call says something about what the program needs.

use super::evidence::{HardenEvidence, SeenRun, UseOf};
use super::guards::{Guard, needed};
use super::places;
use crate::spelling::quote::shown;
use crate::views::inputs::InputsOfRun;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use stride_event::{Call, Event, Outcome};
use stride_syscalls::{Abi, Effect, Syscall, Thing, sets, table};
use stride_track::{Tracker, base_name};

/// The programs whose calls are told apart. Names beyond are left out, and calls are not.
const MAX_USES: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// What the run needed so far.
#[derive(Default)]
pub struct NeededByRun {
    files: InputsOfRun,
    /// By ABI, number and program.
    calls: FxHashMap<(Abi, u64, Box<str>), u64>,
    families: BTreeMap<u64, UseOf>,
    guards: BTreeMap<Guard, UseOf>,
}

impl NeededByRun {
    pub fn files(&self) -> &InputsOfRun {
        &self.files
    }

    pub fn calls(&self) -> u64 {
        self.files.calls
    }

    pub fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.files.event(event, tracker);
        if let Event::Exit(call) = *event {
            self.call(call, tracker);
        }
    }

    fn call(&mut self, call: &Call, tracker: &Tracker) {
        let Some(seen) = tracker.seen() else { return };
        let program = self.files.programs.of(seen.pid, tracker);
        let program: Box<str> = shown(base_name(self.files.programs.path(program))).into();
        if let Some(row) = call.row() {
            self.facilities(call, row, &program);
        }
        let key = (call.abi, call.nr, program);
        // (exit(2) and the last call of a killed thread have no outcome, and are calls.)
        match self.calls.len() < MAX_USES || self.calls.contains_key(&key) {
            true => *self.calls.entry(key).or_default() += 1,
            false => *self.calls.entry((call.abi, call.nr, "".into())).or_default() += 1,
        }
    }

    fn facilities(&mut self, call: &Call, row: &'static Syscall, program: &str) {
        if let Some(guard) = needed(call, row) {
            self.guards.entry(guard).or_default().add(1, program, row.name);
        }
        let makes_socket = matches!(row.makes(), Some(Thing::Socket | Thing::SocketPair));
        if let Some(family) = call.arg("domain").filter(|_| makes_socket)
            && (self.families.len() < MAX_USES || self.families.contains_key(&family))
        {
            self.families.entry(family).or_default().add(1, program, row.name);
        }
        if row.has_effect(Effect::Executes) && self.calls.len() > 1 && call.outcome == Outcome::Value(0) {
            self.guards.entry(Guard::OtherPrograms).or_default().add(1, program, row.name);
        }
    }

    /// All of it, at the end.
    pub fn evidence(&self, run: SeenRun) -> HardenEvidence {
        let mut evidence = HardenEvidence::of(run);
        for ((abi, nr, program), times) in &self.calls {
            let Some(entry) = table(*abi).get(*nr) else { continue };
            let of = evidence.calls.entry(entry.row.name.to_owned()).or_default();
            of.abis.insert(abi.name().to_owned());
            of.used.add(*times, program, "");
        }
        for (family, used) in &self.families {
            evidence.families.insert(family_name(*family), used.clone());
        }
        evidence.guards.clone_from(&self.guards);
        places::of(&self.files, &mut evidence);
        evidence
    }
}

fn family_name(family: u64) -> String {
    sets::socket::FAMILY.name_of(family).map_or_else(|| format!("AF_{family}"), str::to_owned)
}
