//! Several recordings of one run: the median of each figure, and how far the recordings lie apart.
//!
//! A comparison then needs no guess about chance: figures differ if no recording of the one run has what one of the
//! other has.

use crate::profile::callers::SyscallCallers;
use crate::profile::figures::{Figures, Row, Spread};
use crate::profile::{Object, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// The place of the median among these figures, by the number of calls. With an even number of recordings, the lower one of
/// the two.
fn middle(figures: &[Figures]) -> usize {
    let mut order: Vec<usize> = (0..figures.len()).collect();
    order.sort_by_key(|&i| (figures[i].calls, figures[i].errors, figures[i].time));
    order.get(order.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// The row of the recording in the middle, with the spread of all.
fn joined(rows: &[Row]) -> (usize, Row) {
    let figures: Vec<Figures> = rows.iter().map(|row| row.figures).collect();
    let at = middle(&figures);
    let wavering = rows.iter().map(|row| row.wavering).max().unwrap_or_default();
    (at, Row { figures: figures[at], wavering, spread: Some(Spread::of(figures.iter())) })
}

fn keys<'m, K: Ord + Clone + 'm, V: 'm>(maps: impl Iterator<Item = &'m BTreeMap<K, V>>) -> BTreeSet<K> {
    maps.flat_map(|map| map.keys().cloned()).collect()
}

impl Profile {
    /// The profile of a run that was recorded several times: of each syscall and each object, the recording in the
    /// middle.
    pub fn median(mut runs: Vec<Profile>) -> Profile {
        if runs.len() <= 1 {
            return runs.pop().unwrap_or_default();
        }
        let totals: Vec<Figures> = runs.iter().map(|run| run.total).collect();
        let of = |figure: &dyn Fn(&Profile) -> u64| runs.iter().map(figure).collect::<Vec<u64>>();
        let mut joint = Profile {
            total: totals[middle(&totals)],
            home: runs[0].home.clone(),
            processes: median(of(&|run| run.processes)),
            elapsed: median(of(&|run| run.elapsed)),
            alone: runs.iter().all(|run| run.alone),
            lost_calls: of(&|run| run.lost_calls).into_iter().max().unwrap_or_default(),
            lost_threads: of(&|run| run.lost_threads).into_iter().max().unwrap_or_default(),
            recordings: runs.len(),
            ..Profile::default()
        };
        for name in keys(runs.iter().map(|run| &run.calls)) {
            let rows: Vec<Row> = runs.iter().map(|run| run.calls.get(&name).copied().unwrap_or_default()).collect();
            let (at, row) = joined(&rows);
            let callers: Option<SyscallCallers> = runs[at].callers.remove(&name);
            joint.callers.extend(callers.map(|callers| (name.clone(), callers)));
            joint.calls.insert(name, row);
        }
        for name in keys(runs.iter().map(|run| &run.objects)) {
            let row = |run: &Profile| run.objects.get(&name).map(|object| object.row).unwrap_or_default();
            let (at, row) = joined(&runs.iter().map(row).collect::<Vec<Row>>());
            let calls = runs[at].objects.remove(&name).map(|object| object.calls).unwrap_or_default();
            joint.objects.insert(name, Object { row, calls });
        }
        joint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Diff;
    use crate::diff::report;
    use crate::made_up_run::{MadeUpRun, PID};
    use crate::profile::range::Range;
    use stride_event::Outcome;

    /// Recordings of one run: in each, this many calls of read, and one of openat.
    fn recordings(reads: &[u64]) -> Profile {
        let recording = |&reads: &u64| {
            let mut run = MadeUpRun::new();
            run.calls(reads, "read", "", Outcome::Value(1));
            run.calls(1, "openat", "/a", Outcome::Value(3));
            run.exit(PID);
            run.profile()
        };
        Profile::median(reads.iter().map(recording).collect())
    }

    fn compared(base: &Profile, this: &Profile) -> String {
        report::text(&Diff::new(base, this, None), &[])
    }

    #[test]
    fn the_one_in_the_middle() {
        let run = recordings(&[40, 10, 30]);
        let row = run.calls["read"];
        assert_eq!((row.figures.calls, run.total.calls, run.recordings), (30, 31, 3));
        assert_eq!(row.spread.unwrap().calls, Range { lowest: 10, highest: 40 });
        assert!(run.calls["openat"].spread.unwrap().calls.is_single());
    }

    #[test]
    fn what_wavers_is_told_apart() {
        let message = compared(&recordings(&[10, 20, 30]), &recordings(&[15, 50, 50]));
        assert_eq!(
            message,
            "Nothing important differs: 51 calls against 21.\n\
             The numbers are medians: of 3 recordings of this run, and of 3 of the base.\n\
             Left out because it differs from recording to recording: read (15 to 50 calls against 10 to 30).\n"
        );
    }

    #[test]
    fn what_no_recording_of_the_other_run_has_is_a_change() {
        let message = compared(&recordings(&[10, 11, 12]), &recordings(&[20, 21, 22]));
        assert!(message.starts_with("83% more calls: 22 against 12; most of it read: 21 against 11.\n"), "{message}");
        assert!(!message.contains("Left out"), "{message}");
        // One more each time is one more.
        let one = compared(&recordings(&[10, 10, 10]), &recordings(&[11, 11, 11]));
        assert!(one.contains("read: 11 against 10"), "{one}");
    }

    #[test]
    fn what_only_some_recordings_have_is_not_new() {
        let message = compared(&recordings(&[0, 0, 3]), &recordings(&[3, 3, 3]));
        assert!(message.starts_with("Nothing important differs: "), "{message}");
        let new = compared(&recordings(&[0, 0, 0]), &recordings(&[3, 3, 3]));
        assert!(new.contains("read: 3 against 0"), "{new}");
    }
}
