//! What several rules do.

use crate::finding::{Evidence, EvidenceKind};
use rustc_hash::FxHashMap;
use stride_event::Tid;
use stride_track::{ObjectId, ObjectKind, Tracker};

/// Counts, of which the largest are told.
#[derive(Default)]
pub struct Processes(FxHashMap<Tid, (u64, Vec<u8>)>);

/// Processes beyond this many are not told apart.
const MAX_PROCESSES: usize = 1 << 16;

impl Processes {
    pub fn count(&mut self, pid: Tid, tracker: &Tracker) {
        let comm = tracker.process(pid).map_or(&b""[..], |process| &process.comm);
        if let Some((n, known)) = self.0.get_mut(&pid) {
            *n += 1;
            // What it runs by now.
            if known != comm {
                *known = comm.to_vec();
            }
        } else if self.0.len() < MAX_PROCESSES {
            self.0.insert(pid, (1, comm.to_vec()));
        }
    }

    /// The one that did it most: its name, id and calls.
    pub fn evidence(&self) -> Option<Evidence> {
        let (pid, (calls, comm)) = self.0.iter().max_by_key(|(pid, (n, _))| (*n, std::cmp::Reverse(**pid)))?;
        let name = [comm.as_slice(), format!(" (pid {pid})").as_bytes()].concat();
        Some(Evidence::new(EvidenceKind::Process, name, *calls))
    }
}

/// A thing as evidence.
pub fn thing(object: ObjectId, calls: u64, tracker: &Tracker) -> Evidence {
    let kind = match tracker.kind(object) {
        ObjectKind::Path => EvidenceKind::Path,
        ObjectKind::Socket => EvidenceKind::Socket,
        _ => EvidenceKind::Other,
    };
    Evidence::new(kind, tracker.name(object), calls)
}

/// A name within a sentence: what is no plain text is replaced, what is long is cut in the middle.
pub fn plain(name: &[u8]) -> String {
    const LONGEST: usize = 80;
    let text: Vec<char> =
        String::from_utf8_lossy(name).chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.len() <= LONGEST {
        return text.into_iter().collect();
    }
    let half = LONGEST / 2;
    text[..half].iter().chain(&['…']).chain(&text[text.len() - half..]).collect()
}
