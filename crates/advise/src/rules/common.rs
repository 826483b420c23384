//! Code that several rules share.

use crate::counts::index::{CallKey, Observed};
use crate::report::finding::{Claim, Evidence, EvidenceKind};
use crate::report::quantity::OTHERS;
use crate::report::statement::{Statement, say};
use crate::thresholds::shared::FEW_CALLS;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;
use stride_event::{Call, Ns, Outcome, Stack, Tid, grouped};
use stride_syscalls::{Effect, uapi::consts as c};
use stride_track::{Cloned, CriticalPath, FoundAt, ObjectId, ObjectKind, Process, Tracker, has_numbers};
pub use stride_track::{base_name, directory, family};

/// Counts by process. Only the largest are reported.
#[derive(Default)]
pub struct ProcessCounts(FxHashMap<Tid, (u64, Vec<u8>)>);

/// Processes beyond this many are not told apart.
const MAX_PROCESSES: usize = 1 << 16;

impl ProcessCounts {
    pub fn count(&mut self, pid: Tid, tracker: &Tracker) {
        self.count_calls(pid, 1, tracker);
    }

    pub fn count_calls(&mut self, pid: Tid, calls: u64, tracker: &Tracker) {
        self.add(pid, calls, tracker.process(pid).map_or(&b""[..], |process| &process.comm));
    }

    pub fn add(&mut self, pid: Tid, calls: u64, comm: &[u8]) {
        if let Some((n, known)) = self.0.get_mut(&pid) {
            *n += calls;
            // The process may run another program by now.
            if known != comm && !comm.is_empty() {
                *known = comm.to_vec();
            }
        } else if self.0.len() < MAX_PROCESSES {
            self.0.insert(pid, (calls, comm.to_vec()));
        }
    }

    pub fn add_all(&mut self, others: &ProcessCounts) {
        others.0.iter().for_each(|(pid, (calls, comm))| self.add(*pid, *calls, comm));
    }

    /// The process with the most calls: name, id and calls.
    pub fn evidence(&self) -> Option<Evidence> {
        let (pid, (calls, comm)) = self.0.iter().max_by_key(|(pid, (n, _))| (*n, std::cmp::Reverse(**pid)))?;
        Some(process(*pid, comm, *calls))
    }

    /// The processes with the most calls, and how many others there are.
    pub fn most(&self, n: usize) -> Vec<Evidence> {
        let top = largest(&self.0, n, |(pid, (calls, _))| (*calls, std::cmp::Reverse(**pid)));
        let listed: u64 = top.iter().map(|(_, (calls, _))| calls).sum();
        let all: u64 = self.0.values().map(|(calls, _)| calls).sum();
        let named = top.iter().map(|(pid, (calls, comm))| process(**pid, comm, *calls));
        let mut evidence: Vec<Evidence> = named.collect();
        if self.0.len() > evidence.len() {
            let others = self.0.len() - evidence.len();
            let name = if others == 1 { "one other".into() } else { format!("{} others", grouped(others as u64)) };
            evidence.push(Evidence::new(EvidenceKind::Process, name, all - listed));
        }
        evidence
    }
}

/// A map with a limited number of keys, because hostile and long runs have millions of everything.
pub struct Bounded<K, V> {
    map: FxHashMap<K, V>,
    /// Making room did not help. So often it may be asked for until it is tried again.
    patience: usize,
    /// From so many entries on, those of threads that have ended are dropped.
    next: usize,
}

/// A table of 2^17 places holds so many. With one entry more, the table would take twice the memory.
const MAX_ENTRIES: usize = (1 << 17) / 8 * 7;

/// So few entries need not be looked through for threads that have ended.
const FEW: usize = (1 << 14) / 8 * 7;

/// (What processes share has no process.)
fn lives(tid: Tid, tracker: &Tracker) -> bool {
    tid == 0 || tracker.thread(tid).is_some() || tracker.process(tid).is_some()
}

/// A key that begins with a thread or a process.
pub trait OfThread {
    fn tid(&self) -> Tid;
}

impl OfThread for Tid {
    fn tid(&self) -> Tid {
        *self
    }
}

impl<T> OfThread for (Tid, T) {
    fn tid(&self) -> Tid {
        self.0
    }
}

impl<T, U> OfThread for (Tid, T, U) {
    fn tid(&self) -> Tid {
        self.0
    }
}

impl<K, V> Default for Bounded<K, V> {
    fn default() -> Self {
        Bounded { map: FxHashMap::default(), patience: 0, next: 0 }
    }
}

impl<K: Eq + Hash, V> Bounded<K, V> {
    /// The value of a key. A new key gets a value if there is room.
    pub fn entry(&mut self, key: K, new: impl FnOnce() -> V) -> Option<&mut V> {
        if self.map.len() >= MAX_ENTRIES && !self.map.contains_key(&key) {
            return None;
        }
        Some(self.map.entry(key).or_insert_with(new))
    }

    /// If the map is full, drops the values that are not worth keeping.
    pub fn make_room(&mut self, worth: impl Fn(&V) -> bool) {
        self.keep_if_full(|_, value| worth(value));
    }

    /// The same, for values of threads and processes that have ended.
    pub fn make_room_of_ended(&mut self, tracker: &Tracker, worth: impl Fn(&V) -> bool)
    where
        K: OfThread,
    {
        self.keep_if_full(|key, value| lives(key.tid(), tracker) || worth(value));
    }

    /// Drops the values of threads and processes that have ended, unless they matter for what is found. This is done now and then,
    /// before the map is large. Returns whether it was done.
    pub fn forget_ended(&mut self, tracker: &Tracker, matters: impl Fn(&V) -> bool) -> bool
    where
        K: OfThread,
    {
        if self.map.len() < self.next.max(FEW) {
            return false;
        }
        self.map.retain(|key, value| lives(key.tid(), tracker) || matters(value));
        self.next = 2 * self.map.len();
        true
    }

    fn keep_if_full(&mut self, keep: impl Fn(&K, &V) -> bool) {
        if self.map.len() < MAX_ENTRIES {
            return;
        }
        if self.patience > 0 {
            self.patience -= 1;
            return;
        }
        self.map.retain(|key, value| keep(key, value));
        if self.map.len() > MAX_ENTRIES / 2 {
            self.patience = MAX_ENTRIES;
        }
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.map.get_mut(key)
    }

    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)
    }

    /// Takes all entries out.
    pub fn take(&mut self) -> FxHashMap<K, V> {
        std::mem::take(&mut self.map)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.map.iter()
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.map.remove(key)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.map.iter_mut()
    }

    pub fn len(&self) -> usize {
        self.map.len()
    }
}

/// Calls that need not be made, one claim for each key.
#[derive(Default)]
pub struct Claims(FxHashMap<CallKey, u64>);

impl Claims {
    pub fn add(&mut self, key: CallKey, calls: u64) {
        *self.0.entry(key).or_default() += calls;
    }

    pub fn add_all(&mut self, calls: impl IntoIterator<Item = (CallKey, u64)>) {
        calls.into_iter().for_each(|(key, calls)| self.add(key, calls));
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The number of kinds of calls.
    pub fn kinds(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = (CallKey, u64)> {
        self.0.iter().map(|(key, calls)| (*key, *calls))
    }

    /// True if there are too few calls for a pattern: a few calls that were slow once are chance.
    pub fn few(&self) -> bool {
        self.total() < FEW_CALLS.get()
    }

    pub fn list(self) -> Vec<Claim> {
        self.0.into_iter().map(|(key, calls)| Claim { key, calls }).collect()
    }
}

/// The length of intervals that come in the order of their ends and may overlap.
#[derive(Default)]
pub struct Covered {
    pub until: Ns,
    pub time: Ns,
}

impl Covered {
    pub fn add(&mut self, from: Ns, to: Ns) {
        self.time += to.saturating_sub(from.max(self.until));
        self.until = self.until.max(to);
    }
}

/// So many short threads are looked for on the critical path.
pub const MOST_FOLLOWED: usize = 1 << 14;

/// Counts calls with this stack, of which at most so many different ones are kept.
pub fn count_stack(stacks: &mut Vec<(Arc<Stack>, u64)>, most: usize, stack: &Arc<Stack>, calls: u64) {
    match stacks.iter().position(|(known, _)| Arc::ptr_eq(known, stack)) {
        Some(at) => stacks[at].1 += calls,
        None if stacks.len() < most => stacks.push((stack.clone(), calls)),
        None => {}
    }
}

/// The call has made a process, and no thread.
pub fn makes_child(call: &Call) -> bool {
    matches!(call.outcome, Outcome::Value(1..)) && !Cloned::of(call).makes_thread()
}

/// True if a child executed a program, or was given a command line, of its own: a mere fork does a part of its parent's work.
pub fn runs_own_program(child: &Process, parent: Tid, tracker: &Tracker) -> bool {
    let is_other = |parent: &Process| parent.program != child.program || parent.command != child.command;
    tracker.process(parent).is_none_or(is_other)
}

/// The call closes what is not open.
pub fn closes_nothing(observed: &Observed<'_>) -> bool {
    observed.has(Effect::Closes) && observed.errno() == Some(c::EBADF as u32)
}

/// The part of the time of short threads for which the run waited. `lived`: the time in which any of them lived.
pub fn on_path(tids: &[Tid], lived: Ns, path: &CriticalPath) -> f64 {
    if tids.len() >= MOST_FOLLOWED || lived == 0 {
        return 1.0;
    }
    let on: Ns = tids.iter().map(|tid| path.time(*tid)).sum();
    (on as f64 / lived as f64).min(1.0)
}

/// The end of a sentence about one of so many things.
pub fn and_others(things: usize) -> Statement {
    match things {
        1 => ".".into(),
        2 => "; so was one other.".into(),
        n => say!("; so were {} others.", OTHERS.of(n as u64 - 1)),
    }
}

/// The `n` largest items.
pub fn largest<T, S: Ord>(items: impl IntoIterator<Item = T>, n: usize, size: impl Fn(&T) -> S) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_by_key(|item| std::cmp::Reverse(size(item)));
    items.truncate(n);
    items
}

/// Paths that have rules of their own: the time zone's and the resolver's.
pub fn has_own_rule(path: &[u8]) -> bool {
    is_time_zone(path) || is_resolvers(path)
}

/// The files that the C library reads to look names of hosts up.
pub fn is_resolvers(path: &[u8]) -> bool {
    const FILES: [&[u8]; 5] = [b"resolv.conf", b"hosts", b"nsswitch.conf", b"host.conf", b"gai.conf"];
    path.strip_prefix(b"/etc/").is_some_and(|name| FILES.contains(&name))
}

pub fn is_time_zone(path: &[u8]) -> bool {
    path == b"/etc/localtime" || path.starts_with(b"/usr/share/zoneinfo/")
}

/// Members of stat(2) and statx(2) with the time of the last access, which changes although the file does not.
pub fn is_last_access(member: &str) -> bool {
    member.starts_with("st_atime") || member.starts_with("stx_atime")
}

/// The family of a thread of this process in a sentence.
pub fn family_name(family: &[u8], pid: Tid) -> String {
    match family {
        [] => format!("process {pid}"),
        name if has_numbers(name) => format!("{}N", plain(name)),
        _ => plain(family),
    }
}

/// `sh (pid 7)`
pub fn process_name(pid: Tid, comm: &[u8]) -> Vec<u8> {
    match comm {
        [] => format!("process {pid}").into_bytes(),
        comm => [comm, format!(" (pid {pid})").as_bytes()].concat(),
    }
}

/// `worker-3 (thread 7)`
pub fn thread_name(tid: Tid, comm: &[u8]) -> Vec<u8> {
    match comm {
        [] => format!("thread {tid}").into_bytes(),
        comm => [comm, format!(" (thread {tid})").as_bytes()].concat(),
    }
}

/// Evidence that names a process.
pub fn process(pid: Tid, comm: &[u8], calls: u64) -> Evidence {
    Evidence { pid: Some(pid), ..Evidence::new(EvidenceKind::Process, process_name(pid, comm), calls) }
}

/// Evidence that names an object. Those without a name, such as pipes, are told apart by their first descriptors.
pub fn thing(object: ObjectId, calls: u64, tracker: &Tracker) -> Evidence {
    let kind = match tracker.kind(object) {
        ObjectKind::Path => EvidenceKind::Path,
        ObjectKind::Socket => EvidenceKind::Socket,
        _ => EvidenceKind::Other,
    };
    let name = String::from_utf8_lossy(tracker.name(object));
    let name = match tracker.found_at(object) {
        Some(FoundAt { pid, fd, other: Some(other) }) => {
            format!("{name} [{fd}, {other}] of process {pid}").into_bytes()
        }
        Some(FoundAt { pid, fd, other: None }) => format!("{name} {fd} of process {pid}").into_bytes(),
        None => tracker.name(object).to_vec(),
    };
    Evidence::new(kind, name, calls)
}

/// True for a pipe and the like. Its name says only of which sort it is.
pub fn is_nameless(object: ObjectId, tracker: &Tracker) -> bool {
    tracker.found_at(object).is_some() || tracker.is_class(object)
}

/// A name for use in a sentence: characters that are not plain are replaced, and a long name is cut in the middle.
pub fn plain(name: &[u8]) -> String {
    const LONGEST: usize = 80;
    let text: Vec<char> =
        String::from_utf8_lossy(name).chars().map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect();
    if text.len() <= LONGEST {
        return text.into_iter().collect();
    }
    let half = LONGEST / 2;
    text[..half].iter().chain(&['…']).chain(&text[text.len() - half..]).collect()
}

/// ` on NAME`, for the end of a call's name. Empty without an object.
pub fn on_object(object: Option<ObjectId>, tracker: &Tracker) -> String {
    object.map_or_else(String::new, |object| format!(" on {}", plain(tracker.name(object))))
}

/// True if a character only prints. Others clear the terminal or reverse the order of the text.
fn is_plain(c: char) -> bool {
    let invisible =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !c.is_control() && !invisible
}

/// True if a function on the stack has the name of one that lets time pass: `sleep`, `Thread.sleep`, `JVM_Sleep`, `sleep_for`, and Go's
/// `runtime.futexsleep`, by which only its runtime waits for a time.
pub fn is_asleep(stack: &Stack) -> bool {
    const SLEEP: &str = "sleep";
    let is_sleep = |word: &str| {
        let begins = word.get(..SLEEP.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(SLEEP));
        begins || word.ends_with(SLEEP)
    };
    let sleeps = |name: &str| name.split(|c: char| !c.is_ascii_alphanumeric()).any(is_sleep);
    stack.frames.iter().flat_map(|frame| frame.functions()).filter_map(|function| function.name).any(sleeps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names() {
        assert_eq!(plain("TCP → [::1]:80".as_bytes()), "TCP → [::1]:80");
        assert_eq!(plain(b"a\nb\x1b[2J\xff"), "a\u{fffd}b\u{fffd}[2J\u{fffd}");
        assert_eq!(plain("txt.\u{202e}exe".as_bytes()), "txt.\u{fffd}exe");
        assert_eq!(plain(&[b'x'; 500]).chars().count(), 81);
    }

    #[test]
    fn threads_of_a_pool_are_a_family() {
        for (comm, name) in [
            ("pool-1-thread-12", "pool-1-thread-N"),
            ("python3", "python3"),
            ("java", "java"),
            ("7", "7"),
            ("", "process 4"),
        ] {
            assert_eq!(family_name(family(comm.as_bytes()), 4), name);
        }
    }

    #[test]
    fn parts_of_paths() {
        let parts = |path: &'static str| (directory(path.as_bytes()), base_name(path.as_bytes()));
        assert_eq!(parts("/var/www/.htaccess"), (&b"/var/www"[..], &b".htaccess"[..]));
        assert_eq!(parts("/.htaccess"), (&b"/"[..], &b".htaccess"[..]));
        assert_eq!(parts("here"), (&b"."[..], &b"here"[..]));
    }

    #[test]
    fn room_is_made_for_what_is_new() {
        let mut map: Bounded<usize, bool> = Bounded::default();
        for i in 0..3 * MAX_ENTRIES {
            map.make_room(|worth| *worth);
            map.entry(i, || i < 10).expect("room was made");
        }
        assert!(map.len() <= MAX_ENTRIES);
        assert!((0..10).all(|i| map.get(&i).is_some()), "what is worth it stays");
        for i in 0..3 * MAX_ENTRIES {
            map.make_room(|_| true);
            map.entry(i, || true);
        }
        assert_eq!(map.len(), MAX_ENTRIES, "none could be made");
    }

    /// A million processes, one after the other, of which some are of interest.
    #[test]
    fn room_is_made_by_what_has_ended() {
        use stride_test_support::calls::{attached, exited};
        let mut tracker = Tracker::default();
        let mut map: Bounded<(Tid, u64), bool> = Bounded::default();
        tracker.event(&attached(1, 0), &());
        map.entry((1, 0), || false);
        for at in 1..1_000_000 {
            let pid = 2 + at % 4_000_000;
            tracker.event(&attached(pid, at as u64), &());
            map.forget_ended(&tracker, |worth| *worth);
            map.entry((pid, 7), || at % 100_000 == 0).expect("room was made");
            tracker.event(&exited(pid, at as u64), &());
        }
        assert!(map.len() <= 2 * FEW, "{}", map.len());
        assert!(map.get(&(1, 0)).is_some(), "what lives stays");
        assert_eq!(map.iter().filter(|(_, worth)| **worth).count(), 9, "what is worth it stays");
    }
}
