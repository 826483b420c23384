//! The reads of each file with their places: which jump, and which had been made before.

use super::common::{Bounded, Claims};
use crate::counts::index::{CallKey, Observed};
use crate::counts::kinds::{Io, io, is_write};
use rustc_hash::FxHashSet;
use stride_event::{Outcome, Tid};
use stride_syscalls::{Data, Effect, Flow, Syscall};
use stride_track::{FileId, ObjectId, sets_file_lock};

/// The reads of files, with their places.
#[derive(Default)]
pub struct PlacedReads {
    files: Bounded<FileId, Place>,
    /// By process and file.
    pub reads: Bounded<(Tid, ObjectId), Reads>,
    /// The number of times that each file was changed, or locked because others may change it.
    changes: Bounded<ObjectId, u64>,
    ranges: usize,
}

/// The offset of the next read of an open file.
#[derive(Default)]
struct Place {
    next: u64,
    /// The seek that set `next`, if no read came after it.
    seek: Option<CallKey>,
}

#[derive(Default)]
pub struct Reads {
    pub calls: u64,
    pub bytes: u64,
    /// Reads that did not begin where the one before ended.
    pub jumps: u64,
    /// Reads of a range that had been read before, and not changed since.
    pub again: u64,
    /// Reads after a seek that began within the bytes of the read before, and brought more than these.
    pub overlaps: u64,
    /// The bytes that were read twice so.
    pub overlapping: u64,
    /// The file was locked or changed between two reads.
    pub changed: bool,
    /// The largest offset up to which the file was read.
    pub extent: u64,
    pub line: u64,
    /// The process that made the one that reads.
    pub parent: Option<Tid>,
    pub claims: Claims,
    pub claims_again: Claims,
    /// The place of the latest read.
    begin: u64,
    end: u64,
    changes: u64,
    seen: FxHashSet<(u64, u64)>,
}

/// Of processes that have ended, so much of one file is remembered: others may read the same.
const MUCH: u64 = 1 << 20;
/// So many ranges are told apart in all files.
const MAX_RANGES: usize = 1 << 20;

impl PlacedReads {
    pub fn wants(row: &'static Syscall) -> bool {
        row.transfer().is_some() || row.has_effect(Effect::Seeks) || row.has_effect(Effect::ControlsDescriptor)
    }

    pub fn call(&mut self, observed: &Observed<'_>) {
        let (Some(file), Some(object)) = (observed.seen.file, observed.seen.object) else { return };
        if io(object, observed.tracker) != Io::File {
            return;
        }
        if observed.has(Effect::ControlsDescriptor) {
            if sets_file_lock(observed.call, observed.row) {
                self.changed(object);
            }
            return;
        }
        let Outcome::Value(value) = observed.call.outcome else { return };
        let value = value.max(0) as u64;
        if observed.has(Effect::Seeks) {
            if let Some(place) = self.files.entry(file, Place::default) {
                *place = Place { next: value, seek: Some(observed.key) };
            }
            return;
        }
        if is_write(observed.row) {
            self.changed(object);
            return;
        }
        let Some(transfer) = observed.row.transfer().filter(|transfer| transfer.flow == Flow::In) else { return };
        // (The entries of a directory have no places that a program could keep.)
        if transfer.data == Data::Records {
            return;
        }
        let (at, seek) = if transfer.at_offset {
            (observed.call.arg("offset"), None)
        } else {
            let Some(place) = self.files.entry(file, Place::default) else { return };
            place.next += value;
            (Some(place.next - value), place.seek.take())
        };
        let (Some(at), 1..) = (at, value) else { return };
        self.read(observed, seek, object, at, value);
    }

    pub fn closed(&mut self, file: FileId) {
        self.files.remove(&file);
    }

    fn changed(&mut self, object: ObjectId) {
        if let Some(changes) = self.changes.entry(object, || 0) {
            *changes += 1;
        }
    }

    fn read(&mut self, observed: &Observed<'_>, seek: Option<CallKey>, object: ObjectId, at: u64, bytes: u64) {
        let changes = self.changes.get(&object).copied().unwrap_or(0);
        let matters = |reads: &Reads| reads.jumps > 0 || reads.again > 0 || reads.bytes >= MUCH;
        if self.reads.forget_ended(observed.tracker, matters) {
            self.ranges = self.reads.iter().map(|(_, reads)| reads.seen.len()).sum();
        }
        let pid = observed.seen.pid;
        let parent = || observed.tracker.process(pid).and_then(|process| process.parent);
        let new = || Reads { parent: parent(), ..Reads::default() };
        let Some(reads) = self.reads.entry((pid, object), new) else { return };
        if reads.changes != changes {
            self.ranges -= reads.seen.len();
            reads.seen.clear();
            reads.changes = changes;
            reads.changed |= reads.calls > 0;
        }
        reads.calls += 1;
        reads.bytes += bytes;
        reads.jumps += u64::from(reads.end != at);
        if seek.is_some() && (reads.begin + 1..reads.end).contains(&at) && at + bytes > reads.end {
            reads.overlaps += 1;
            reads.overlapping += reads.end - at;
        }
        (reads.begin, reads.end) = (at, at + bytes);
        reads.extent = reads.extent.max(reads.end);
        reads.line = observed.line;
        let calls = || [Some(observed.key), seek].into_iter().flatten();
        calls().for_each(|key| reads.claims.add(key, 1));
        if reads.seen.contains(&(at, bytes)) {
            reads.again += 1;
            calls().for_each(|key| reads.claims_again.add(key, 1));
        } else if self.ranges < MAX_RANGES {
            reads.seen.insert((at, bytes));
            self.ranges += 1;
        }
    }
}
