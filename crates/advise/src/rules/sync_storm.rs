//! The program waits for storage after every small write.

use super::common::{Bounded, Claims, ProcessCounts, plain, thing};
use crate::counts::index::{CallKey, Index, Observed, OpenFile};
use crate::counts::kinds::{Io, io, is_write};
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, MEAN_BYTES, MEAN_WAIT, SYNCS, TRANSACTIONS};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::shared::GOOD_BUFFER;
use crate::thresholds::threshold::Threshold;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use stride_event::Ns;
use stride_syscalls::{Effect, Syscall, table, uapi::consts as c};
use stride_track::{FileId, ObjectId, Tracker};

const SMALL_SYNC: Threshold =
    Threshold::bytes("small-sync", 64 << 10, "fewer bytes than this between two syncs are little");
const SMALL_SYNCS: Threshold = Threshold::count("small-syncs", 20, "syncs of one file after little");
const WHOLE_SYNCS: Threshold = Threshold::count("whole-syncs", 10, "calls of sync(2)");

pub const RULE: RuleInfo = RuleInfo {
    id: "sync-storm",
    title: "waiting for storage again and again",
    explanation: "The program waits for small pieces of data to reach the disk, one after another: fsync(2) or fdatasync(2) \
                  of a file to \
        which less than 64 KiB were written since the last time; writes of less to a file opened with O_SYNC or O_DSYNC; msync(2) with MS_SYNC again and again; sync(2) \
        in a loop. Each sync takes a few milliseconds on a hard disk and 0.1 to 1 ms on an SSD, however small the piece is.\n\n\
        A file is reported if it was synced at least twenty times after small writes, and so is a directory, which is synced for the names of new and renamed files. The one sync of a file that is \
        written as a whole does not count. How many syncs could be saved depends on how much data may be lost in a crash; \
        the estimate is one sync for each 64 KiB. If a journal is made and removed again with each transaction, all calls about the \
        journal and its database are those of a transaction, and all but one transaction could be saved. Where each piece must be safe before the program goes on (a database's \
        log), put several into one sync (group commit).\n\n\
        Example: 1,000 rows are inserted into an SQLite database, each in a transaction of its own: 4,000 syncs, 11 s. All of them in one transaction take four syncs, 0.03 s.",
    thresholds: &[SMALL_SYNC, SMALL_SYNCS, WHOLE_SYNCS],
    make: || Box::new(SyncStorm::default()),
};

#[derive(Default)]
struct SyncStorm {
    /// By the file that was written.
    files: Bounded<ObjectId, Synced>,
    /// The bytes that had been written to an open file at its last sync.
    written: Bounded<FileId, u64>,
    /// The number of times that a file of this name was removed or emptied.
    removed: Bounded<ObjectId, u64>,
    whole: Option<SyncCalls>,
    /// Calls of msync(2) that wait.
    mapped: Option<SyncCalls>,
    processes: ProcessCounts,
}

#[derive(Default)]
struct Synced {
    syncs: u64,
    bytes: u64,
    time: Ns,
    line: u64,
    /// The file is opened with O_SYNC or O_DSYNC, so that each write waits.
    always: bool,
    /// All descriptors that it was synced by are open for reading only, as those of directories are: names that were made there shall be safe.
    only_read: bool,
    claims: Claims,
}

/// Calls of sync(2), or of msync(2).
struct SyncCalls {
    name: &'static str,
    key: CallKey,
    calls: u64,
    time: Ns,
    line: u64,
}

impl Rule for SyncStorm {
    fn wants(&self, row: &'static Syscall) -> bool {
        row.has_effect(Effect::Syncs) || row.has_effect(Effect::SyncsMapped) || row.has_effect(Effect::Unlinks)
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        if !observed.ok() {
            return;
        }
        if observed.has(Effect::Unlinks) {
            let removed = observed.seen.path.and_then(|path| self.removed.entry(path, || 0));
            removed.into_iter().for_each(|times| *times += 1);
            return;
        }
        let is_mapped = observed.has(Effect::SyncsMapped);
        if is_mapped && observed.arg("flags") & c::MS_SYNC == 0 {
            return;
        }
        if is_mapped || observed.has(Effect::SyncsAll) {
            let new =
                || SyncCalls { name: observed.row.name, key: observed.key, calls: 0, time: 0, line: observed.line };
            let whole = if is_mapped { &mut self.mapped } else { &mut self.whole }.get_or_insert_with(new);
            whole.calls += 1;
            whole.time += observed.time();
            return;
        }
        let Some((file, id)) = observed.seen.file.and_then(|id| Some((index.file(id)?, id))) else { return };
        let Some(before) = self.written.entry(id, || 0) else { return };
        let bytes = file.writes.bytes - std::mem::replace(before, file.writes.bytes).min(file.writes.bytes);
        // The first sync of a new or truncated file: the whole file has to be safe before it replaces another.
        let whole = file.flags & (c::O_TRUNC | c::O_EXCL) != 0 && file.syncs == 1;
        let only_reads = file.flags & c::O_ACCMODE == c::O_RDONLY;
        if bytes == 0 && !only_reads || bytes >= SMALL_SYNC.get() || whole {
            return;
        }
        let Some(synced) = self.files.entry(file.object, Synced::default) else { return };
        synced.only_read = only_reads && (synced.only_read || synced.syncs == 0);
        synced.syncs += 1;
        synced.bytes += bytes;
        synced.time += observed.time();
        synced.line = observed.line;
        synced.claims.add(observed.key, 1);
        self.processes.count(observed.seen.pid, observed.tracker);
    }

    fn closed(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        self.written.remove(&file.id);
        self.always_synced(file, index, tracker);
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        index.open_files().for_each(|file| self.always_synced(file, index, tracker));
        let small = self.small(index, tracker);
        let whole = self.whole.as_ref().filter(|whole| whole.calls >= WHOLE_SYNCS.get()).map(SyncCalls::of_all_files);
        let mapped = self.mapped.as_ref().filter(|mapped| mapped.calls >= SMALL_SYNCS.get());
        small.into_iter().chain(whole).chain(mapped.map(SyncCalls::of_mappings)).collect()
    }
}

impl SyncStorm {
    /// A file opened with O_SYNC or O_DSYNC.
    fn always_synced(&mut self, file: &OpenFile, index: &Index, tracker: &Tracker) {
        let Some(key) = file.writes.key.filter(|_| file.flags & c::O_DSYNC != 0) else { return };
        if io(file.object, tracker) != Io::File || file.writes.bytes / file.writes.calls >= SMALL_SYNC.get() {
            return;
        }
        let Some(synced) = self.files.entry(file.object, Synced::default) else { return };
        synced.always = true;
        synced.syncs += file.writes.calls;
        synced.bytes += file.writes.bytes;
        synced.line = file.writes.line;
        let tally = index.tally(key);
        synced.time += tally.time / tally.calls.max(1) * file.writes.calls;
        synced.claims.add(key, file.writes.calls);
        for (pid, calls) in file.writes.by.iter() {
            self.processes.add(pid, calls, index.comm(pid, tracker));
        }
    }

    /// The number of times that a journal was synced and removed again, if the file is one.
    fn transactions(&self, object: ObjectId, synced: &Synced) -> Option<u64> {
        const SYNCS_OF_TRANSACTION: u64 = 4;
        let removed = *self.removed.get(&object)?;
        (removed > 1 && removed * SYNCS_OF_TRANSACTION >= synced.syncs && synced.syncs * 2 >= removed)
            .then_some(removed)
    }

    fn small(&self, index: &Index, tracker: &Tracker) -> Option<Candidate> {
        let mut often: Vec<_> = self.files.iter().filter(|(_, synced)| synced.syncs >= SMALL_SYNCS.get()).collect();
        // Of a file that others write, nobody knows how much a sync by a reader made safe.
        let writes_to = |key: &CallKey| table(key.abi).get(key.nr.into()).is_some_and(|entry| is_write(entry.row));
        let writes = index.tallies().filter(|(key, _)| writes_to(key));
        let written: FxHashSet<ObjectId> = writes.filter_map(|(key, _)| key.object).collect();
        often.retain(|(object, synced)| !synced.only_read || !written.contains(object));
        often.sort_by_key(|(object, synced)| (Reverse((synced.time, synced.syncs)), **object));
        let (object, worst) = often.first()?;
        let evidence = often.iter().map(|(object, synced)| {
            let mut evidence = thing(**object, synced.syncs, tracker);
            evidence.bytes = Some(synced.bytes);
            evidence.time = Some(synced.time);
            evidence.line = Some(synced.line);
            evidence
        });
        let transactions = often.iter().filter_map(|(object, synced)| self.transactions(**object, synced)).sum();
        let mut claims = Claims::default();
        if transactions > 1 {
            // The journals and the databases that belong to them.
            let part = 1.0 - 1.0 / transactions as f64;
            let about = |key: &CallKey| often.iter().any(|(object, _)| key.object == Some(**object));
            let all = index.tallies().filter(|(key, _)| about(key));
            all.for_each(|(key, made)| claims.add(key, (made.calls as f64 * part) as u64));
        } else {
            for (_, synced) in &often {
                // The share of each kind of call that is not needed.
                let needed = synced.bytes.div_ceil(GOOD_BUFFER).max(1);
                let part = 1.0 - needed as f64 / synced.syncs as f64;
                synced.claims.iter().for_each(|(key, calls)| claims.add(key, (calls as f64 * part) as u64));
            }
        }
        let how = if worst.always { "written, waiting each time (O_SYNC)," } else { "synced" };
        let journal = match transactions {
            0 | 1 => "".into(),
            n => say!("; in {} transactions, journals were made and removed again", TRANSACTIONS.of(n)),
        };
        let name = plain(tracker.name(**object));
        let sentence = match worst.only_read {
            true => say!(
                "{} was synced {} times by descriptors that only read, as a directory is for the names in it, for {} on average.",
                name,
                SYNCS.of(worst.syncs),
                MEAN_WAIT.of(worst.time / worst.syncs),
            ),
            false => say!(
                "{} was {how} {} times, after {} bytes on average{}.",
                name,
                SYNCS.of(worst.syncs),
                MEAN_BYTES.of(worst.bytes / worst.syncs),
                journal,
            ),
        };
        Some(Candidate {
            sentence,
            evidence: evidence.take(4).chain(self.processes.evidence()).collect(),
            advice:
                "Sync once for many pieces: at the end, after each 64 KiB, or for all changes that came in meanwhile \
                     (one transaction around many changes, group commit)."
                    .into(),
            confidence: Confidence::Possible,
            claims: claims.list(),
            estimate: match transactions {
                0 | 1 => "all but one sync for each 64 KiB".into(),
                _ => "all calls about these files, for all transactions but one".into(),
            },
            ..Candidate::default()
        })
    }
}

impl SyncCalls {
    /// The finding that all of these calls but one can be saved.
    fn candidate(&self, sentence: Statement, advice: &str, confidence: Confidence) -> Candidate {
        let mut evidence = Evidence::new(EvidenceKind::Syscall, self.name, self.calls);
        evidence.time = Some(self.time);
        evidence.line = Some(self.line);
        Candidate {
            sentence,
            evidence: vec![evidence],
            advice: advice.into(),
            confidence,
            claims: vec![Claim { key: self.key, calls: self.calls - 1 }],
            estimate: "every sync but one".into(),
            ..Candidate::default()
        }
    }

    fn of_all_files(&self) -> Candidate {
        let sentence = say!(
            "sync was called {} times. Each call writes the unwritten data of all programs to disk and waits for that.",
            CALLS.of(self.calls)
        );
        let advice = "Call fsync(2) or fdatasync(2) on the files that matter, or sync(2) once at the end.";
        self.candidate(sentence, advice, Confidence::Likely)
    }

    fn of_mappings(&self) -> Candidate {
        let sentence = say!(
            "msync was called {} times to wait until changes of a mapped file were on the disk, for {} on average.",
            CALLS.of(self.calls),
            MEAN_WAIT.of(self.time / self.calls.max(1)),
        );
        let advice = "Sync once for many changes: at the end, or for all changes that came in meanwhile. Where changes need not outlive a crash of the machine, leave the calls out: \
                      the kernel writes changed pages by itself, and other processes see them at once.";
        self.candidate(sentence, advice, Confidence::Possible)
    }
}
