//! The differences between two runs.

pub mod json;
pub mod noise;
pub mod report;
pub mod rollup;

use crate::profile::callers::{CallerChange, SyscallCallers};
use crate::profile::figures::{Figures, Row};
use crate::profile::range::Range;
use crate::profile::{Object, Profile};
use std::collections::BTreeMap;
use std::rc::Rc;
use stride_event::Ns;

/// A syscall or an object, in both runs.
#[derive(Clone, Debug)]
pub struct Change {
    pub name: Rc<[u8]>,
    pub base: Figures,
    pub this: Figures,
    pub of_note: bool,
    /// True if the change is reported because a call takes longer or shorter than before.
    pub by_time: bool,
    /// The change's share of all calls, or of all time.
    pub weight: f64,
    /// An object's syscalls whose counts changed, the largest change first.
    pub syscalls: Vec<Rc<str>>,
    /// For a syscall, the functions that make more or fewer of the calls, the largest change first.
    pub callers: Vec<CallerChange>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    Appeared,
    Vanished,
    Changed,
}

impl Change {
    pub fn kind(&self) -> ChangeKind {
        match (self.base.calls, self.this.calls) {
            (0, _) => ChangeKind::Appeared,
            (_, 0) => ChangeKind::Vanished,
            _ => ChangeKind::Changed,
        }
    }

    pub fn more(&self) -> i64 {
        self.this.calls as i64 - self.base.calls as i64
    }
}

/// Two runs and their differences. The differences with the largest weight come first.
pub struct Diff<'p> {
    pub base: &'p Profile,
    pub this: &'p Profile,
    /// How precise times are. None if the times cannot be compared.
    pub times: Option<Ns>,
    pub syscalls: Vec<Change>,
    pub objects: Vec<Change>,
    /// The syscalls left out because the recordings of a run differ, those that differ most first.
    pub wavering: Vec<Wavering>,
}

/// A syscall whose number of calls differs from recording to recording.
#[derive(Clone, Debug)]
pub struct Wavering {
    pub name: Rc<str>,
    pub base: Range<u64>,
    pub this: Range<u64>,
}

/// The figures of one name in both runs.
struct Pair<'p> {
    name: Rc<[u8]>,
    base: Row,
    this: Row,
    objects: [Option<&'p Object>; 2],
}

impl<'p> Diff<'p> {
    pub fn new(base: &'p Profile, this: &'p Profile, times: Option<Ns>) -> Diff<'p> {
        let mut diff = Diff { base, this, times, syscalls: Vec::new(), objects: Vec::new(), wavering: Vec::new() };
        let name = |name: &Rc<str>| Rc::from(name.as_bytes());
        let syscalls = pairs(&base.calls, &this.calls).map(|(key, [base, this])| {
            let row = |row: Option<&Row>| row.copied().unwrap_or_default();
            Pair { name: name(key), base: row(base), this: row(this), objects: [None; 2] }
        });
        diff.syscalls = diff.changes(syscalls, true);
        let objects = pairs(&base.objects, &this.objects).map(|(key, objects)| {
            let row = |object: Option<&Object>| object.map(|object| object.row).unwrap_or_default();
            Pair { name: key.clone(), base: row(objects[0]), this: row(objects[1]), objects }
        });
        diff.objects = diff.changes(objects, false);
        diff.wavering = diff.wavering();
        diff
    }

    fn wavering(&self) -> Vec<Wavering> {
        let is_told =
            |name: &str| self.syscalls.iter().any(|change| change.of_note && *change.name == *name.as_bytes());
        let mut all: Vec<Wavering> = pairs(&self.base.calls, &self.this.calls)
            .filter_map(|(name, rows)| {
                let [base, this] = rows.map(|row| row.copied().unwrap_or_default());
                let left_out = noise::differs_by_itself(&base, &this) && !is_told(name);
                left_out.then(|| Wavering { name: name.clone(), base: base.spread().calls, this: this.spread().calls })
            })
            .collect();
        let width = |range: &Range<u64>| range.highest - range.lowest;
        all.sort_by_key(|of| std::cmp::Reverse(width(&of.base).max(width(&of.this))));
        all
    }

    fn changes(&self, pairs: impl Iterator<Item = Pair<'p>>, by_syscall: bool) -> Vec<Change> {
        let alone = self.base.alone && self.this.alone;
        let calls = self.base.total.calls.max(self.this.total.calls).max(1);
        let own = |profile: &Profile| noise::own_time(profile.calls.iter().map(|(name, row)| (&**name, &row.figures)));
        let time = own(self.base).max(own(self.this)).max(1);
        let mut changes: Vec<Change> = pairs
            .filter_map(|pair| {
                let (base, this) = (pair.base.figures, pair.this.figures);
                let same = |f: &Figures| (f.calls, f.errors, f.bytes, f.time);
                if same(&base) == same(&this) {
                    return None;
                }
                let name = std::str::from_utf8(&pair.name).ok().filter(|_| by_syscall).unwrap_or_default();
                let by_time = self.times.is_some_and(|precise| {
                    !noise::waits(name) && noise::takes_longer(&pair.base, &pair.this, time, precise)
                });
                let of_note = by_time || noise::differs(name, &pair.base, &pair.this, alone);
                let share = base.calls.abs_diff(this.calls) as f64 / calls as f64;
                let time_share = if by_time { base.time.abs_diff(this.time) as f64 / time as f64 } else { 0.0 };
                let weight = share.max(time_share);
                let callers = self.callers(name, &base, &this);
                let syscalls = pair.syscalls();
                Some(Change { name: pair.name, base, this, of_note, by_time, weight, syscalls, callers })
            })
            .collect();
        changes.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(&b.name)));
        changes
    }

    fn callers(&self, syscall: &str, base: &Figures, this: &Figures) -> Vec<CallerChange> {
        let none = SyscallCallers::default();
        let of = |profile: &'p Profile| profile.callers.get(syscall);
        let (was, now) = (of(self.base).unwrap_or(&none), of(self.this).unwrap_or(&none));
        SyscallCallers::changes(was, base.calls, now, this.calls)
    }

    /// True if the number of all calls has changed by more than a fiftieth.
    pub fn total_differs(&self) -> bool {
        let (a, b) = (self.base.total.calls, self.this.total.calls);
        a.abs_diff(b) * 50 > a.max(b)
    }

    pub fn of_note(&self) -> bool {
        self.syscalls.iter().chain(&self.objects).any(|change| change.of_note)
    }
}

impl Pair<'_> {
    fn syscalls(&self) -> Vec<Rc<str>> {
        let [base, this] = self.objects.map(|object| object.map(|object| &object.calls));
        let none = BTreeMap::new();
        let mut by_change: Vec<(u64, &Rc<str>)> = pairs(base.unwrap_or(&none), this.unwrap_or(&none))
            .map(|(name, [a, b])| (a.copied().unwrap_or(0).abs_diff(b.copied().unwrap_or(0)), name))
            .filter(|(change, _)| *change > 0)
            .collect();
        by_change.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        by_change.into_iter().map(|(_, name)| name.clone()).collect()
    }
}

/// The entries of both maps, joined by key.
fn pairs<'m, K: Ord, V>(
    a: &'m BTreeMap<K, V>,
    b: &'m BTreeMap<K, V>,
) -> impl Iterator<Item = (&'m K, [Option<&'m V>; 2])> {
    let of_a = a.iter().map(|(key, value)| (key, [Some(value), b.get(key)]));
    let only_b = b.iter().filter(|(key, _)| !a.contains_key(*key)).map(|(key, value)| (key, [None, Some(value)]));
    of_a.chain(only_b)
}
