//! The files and sockets that calls were about.

use super::data;
use super::top::{Top, Weighed};
use crate::spelling::legible::legible;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use stride_event::Ns;
use stride_track::{ObjectId, ObjectKind, Tracker};

/// Between this number of objects and twice as many are kept. `SHOWN` of them are shown for each measure.
const ROOM: usize = 1 << 16;
const SHOWN: usize = 100;
const NAME: usize = 240;

#[derive(Default)]
pub struct FileRow {
    calls: u64,
    errors: u64,
    time: Ns,
    bytes: u64,
}

impl Weighed for FileRow {
    fn merge(&mut self, other: &FileRow) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.time += other.time;
        self.bytes += other.bytes;
    }

    /// A page of bytes, or a tenth of a millisecond, weighs about as much as a call.
    fn weight(&self) -> u64 {
        self.calls + (self.bytes >> 12) + (self.time >> 17)
    }
}

pub struct Files(Top<ObjectId, FileRow>);

impl Default for Files {
    fn default() -> Files {
        Files(Top::new(ROOM))
    }
}

impl Files {
    pub fn add(&mut self, object: ObjectId, failed: bool, took: Ns, bytes: u64) {
        self.0.get(object).merge(&FileRow { calls: 1, errors: failed.into(), time: took, bytes });
    }

    pub fn data(self, tracker: &Tracker) -> data::FilesData {
        let (all, _, more) = self.0.into_parts();
        let mut shown = BTreeSet::new();
        let measures: [fn(&FileRow) -> u64; 4] = [|f| f.calls, |f| f.errors, |f| f.time, |f| f.bytes];
        for measure in measures {
            let mut order: Vec<_> = all.iter().filter(|(_, file)| measure(file) > 0).collect();
            order.sort_by_key(|(id, file)| (Reverse(measure(file)), *id));
            shown.extend(order.iter().take(SHOWN).map(|(id, _)| *id));
        }
        let more = more + (all.len() - shown.len()) as u64;
        let mut rows: Vec<_> = all.into_iter().filter(|(id, _)| shown.contains(id)).collect();
        rows.sort_by_key(|(id, file)| (Reverse(file.calls), *id));
        let row = |(id, file): (ObjectId, FileRow)| data::FileData {
            name: legible(tracker.name(id), NAME),
            kind: kind(tracker.kind(id)),
            calls: file.calls,
            errors: file.errors,
            time: file.time,
            bytes: file.bytes,
        };
        data::FilesData { rows: rows.into_iter().map(row).collect(), more }
    }
}

fn kind(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Path => "file",
        ObjectKind::Pipe => "pipe",
        ObjectKind::Socket => "socket",
        ObjectKind::Anonymous => "kernel",
        ObjectKind::Others => "others",
    }
}
