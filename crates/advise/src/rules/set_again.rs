//! Attributes of files, options of sockets, flags and positions of open files are set to the values that they have already.

use super::common::{Bounded, Claims, ProcessCounts, and_others, largest, plain, thing};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence, Evidence};
use crate::report::quantity::TIMES;
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use stride_event::{Call, Tid};
use stride_syscalls::{Effect, Syscall, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

pub const RULE: RuleInfo = RuleInfo {
    id: "set-again",
    title: "attributes set to what they are",
    explanation: "The mode, the owner or an extended attribute of a file (chmod(2), chown(2), setxattr(2)), an option of a socket (setsockopt(2)), the flags of an \
        open file (fcntl(2) with F_SETFL) or its position (lseek(2) with SEEK_SET) are set again and again to the same value. For a file, the kernel does all that a change takes: it looks the path up, changes the \
        inode's time, and has the file system write the inode to its journal.\n\n\
        Reported are calls whose values are those of the latest call of the same kind for the same thing, and the same process made both. For a position, nothing may have been read or written in between. The first call for each \
        does not count, although it may change nothing either. Times of files are not looked at, because a file that was written in between has another one, \
        nor is TCP_QUICKACK, which the kernel takes back by itself.\n\n\
        Example: a program calls fchmod(2) after each of 20,000 records of one file. One call saves the others. Where the state of a file is not known, \
        ask with stat(2) first: that writes nothing.",
    thresholds: &[],
    make: || Box::new(SetAgain::default()),
};

#[derive(Default)]
struct SetAgain {
    latest: Bounded<Attribute, Set>,
}

/// An attribute of a file, an open file or a socket.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Attribute {
    of: Owner,
    /// The kind of call.
    nr: u32,
    /// A hash of the attribute's name, if the call sets one of several.
    name: u64,
}

/// The thing that has the attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    /// A file, by its path or by a descriptor.
    File(ObjectId),
    /// An open file or a socket.
    Open(FileId),
}

struct Set {
    pid: Tid,
    key: CallKey,
    object: ObjectId,
    word: &'static str,
    value: u64,
    again: u64,
    line: u64,
}

impl Rule for SetAgain {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::SetsAttributes)
            || row.has_effect(Effect::Seeks)
            || row.has_effect(Effect::SetsOfSocket)
            || row.has_effect(Effect::ControlsDescriptor)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let Some(object) = observed.key.object.filter(|_| observed.ok()) else { return };
        let Some(Setting { word, name, value }) = Setting::of(observed, index) else { return };
        let of = match observed.seen.file {
            _ if observed.has(Effect::SetsAttributes) => Owner::File(object),
            Some(file) => Owner::Open(file),
            None => return,
        };
        self.latest.make_room(|set| set.again > 0);
        let (pid, key, line) = (observed.seen.pid, observed.key, observed.line);
        let new = || Set { pid, key, object, word, value: !value, again: 0, line };
        let Some(set) = self.latest.entry(Attribute { of, nr: key.nr, name }, new) else { return };
        // (Each of many short processes cannot know.)
        set.again += u64::from((set.pid, set.value) == (pid, value));
        (set.pid, set.value) = (pid, value);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let sets: Vec<_> = self.latest.take().into_values().filter(|set| set.again > 0).collect();
        let (mut claims, mut processes) = (Claims::default(), ProcessCounts::default());
        for set in &sets {
            claims.add(set.key, set.again);
            processes.add(set.pid, set.again, index.comm(set.pid, tracker));
        }
        let top = largest(&sets, 4, |set| (set.again, Reverse(set.line)));
        let Some(worst) = top.first().filter(|_| !claims.few()) else { return Vec::new() };
        let evidence = top.iter().map(|set| Evidence { line: Some(set.line), ..thing(set.object, set.again, tracker) });
        vec![Candidate {
            sentence: say!(
                "{} times, {} was given the {} that it had already{}",
                TIMES.of(worst.again),
                plain(tracker.name(worst.object)),
                worst.word,
                and_others(sets.len())
            ),
            evidence: evidence.chain(processes.evidence()).collect(),
            advice: "Set it once: for a file when it is made (the mode of open(2), fchmod(2) after it), for a socket or descriptor before the loop, and the position only if the next bytes are elsewhere. Where the state is not \
                     known, ask first, and set what differs."
                .into(),
            confidence: Confidence::Certain,
            claims: claims.list(),
            estimate: "the calls whose values were those of the call before".into(),
            ..Candidate::default()
        }]
    }
}

struct Setting {
    word: &'static str,
    name: u64,
    value: u64,
}

impl Setting {
    /// The attribute that the call sets. `None`: none that is looked at, or its value is not known whole.
    fn of(observed: &Observed<'_>, index: &Index) -> Option<Setting> {
        let call = observed.call;
        let plain = |word, name| Some(Setting { word, name: 0, value: call.arg(name)? });
        if observed.has(Effect::SetsOfSocket) {
            let (level, name) = (call.arg("level")?, call.arg("optname")?);
            let lasts = (level, name) != (c::SOL_TCP, c::TCP_QUICKACK);
            let value = hash(whole(call, "optval", "optlen").filter(|_| lasts)?);
            return Some(Setting { word: "option", name: hash((level, name)), value });
        }
        if observed.has(Effect::ControlsDescriptor) {
            return plain("flags", "arg").filter(|_| call.arg("op") == Some(c::F_SETFL));
        }
        if observed.has(Effect::Seeks) {
            let file = index.file(observed.seen.file?).filter(|_| call.arg("whence") == Some(c::SEEK_SET))?;
            // Reading and writing move the position.
            let value = hash((call.arg("offset")?, observed.upper_half(), file.reads.calls + file.writes.calls));
            return Some(Setting { word: "position", name: 0, value });
        }
        if call.arg("value").is_some() {
            let value = hash((whole(call, "value", "size")?, call.arg("flags")));
            return Some(Setting { word: "extended attribute", name: hash(call.path("name")?), value });
        }
        let owner = || {
            let value = hash((call.arg("owner")?, call.arg("group")?));
            Some(Setting { word: "owner and group", name: 0, value })
        };
        plain("mode", "mode").or_else(owner)
    }
}

/// The bytes of an argument, if all were captured.
fn whole<'c>(call: &'c Call, name: &str, size: &str) -> Option<&'c [u8]> {
    let size = call.arg(size)? as usize;
    Some(call.bytes(name, size)).filter(|bytes| bytes.len() == size)
}

fn hash(it: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    it.hash(&mut hasher);
    hasher.finish()
}
