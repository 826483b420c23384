//! The parts of a thread's time on the critical path.
//!
//! The path tells at which times it stays with a thread, and in which of the thread's waits. Calls are not kept, so what the thread did besides is only known in sums.

use rustc_hash::FxHashMap;
use stride_event::{Ns, parts_within};

/// The number of an activity of a thread with a name.
pub type ActivityId = u32;

/// When a thread has more different activities, the shorter half of them become one.
pub const MAX_ACTIVITIES: usize = 128;

/// A thread's time on the path.
#[derive(Default, Debug)]
pub struct TimeOnPath {
    /// In waits that no traced thread ended.
    pub waits: Vec<(ActivityId, Ns)>,
    /// The rest.
    pub works: Ns,
}

impl TimeOnPath {
    /// The activities that make up this time of a thread that has spent so much time with each.
    pub fn parts(
        &self,
        spent: &[(ActivityId, Ns)],
        waits: &ThreadWaits,
        sleeping_calls: &SleepingCalls,
    ) -> Vec<(ActivityId, f64)> {
        // The waits in which the path stayed are known.
        let mut parts: Vec<_> =
            self.waits.iter().flat_map(|&(id, time)| sleeping_calls.parts(id, time as f64)).collect();
        // The path has an equal part of each other activity of the thread.
        let mut rest = spent.to_vec();
        let alone = waits.alone.iter().flat_map(|&(id, time)| sleeping_calls.parts(id, time as f64));
        let followed: Vec<_> =
            waits.followed.iter().map(|&(id, time)| (id, take(&mut rest, id, time as f64))).collect();
        alone.for_each(|(id, time)| _ = take(&mut rest, id, time));
        // No activity lasted longer than it did: where there is more of the path than that, the path stayed with the thread in waits that it could have left.
        let (others, missing) = scaled(&rest, self.works as f64);
        parts.extend(others);
        parts.extend(scaled(&followed, missing).0);
        parts
    }
}

/// The time of a thread's waits, on the path or not.
#[derive(Default, Debug)]
pub struct ThreadWaits {
    /// In which another thread is on the path instead, if this one would be.
    pub followed: Vec<(ActivityId, Ns)>,
    /// Those that no traced thread ended.
    pub alone: Vec<(ActivityId, Ns)>,
}

/// Takes a time from that of an activity, as far as there is enough.
fn take(parts: &mut [(ActivityId, Ns)], id: ActivityId, time: f64) -> Ns {
    let Some((_, part)) = parts.iter_mut().find(|(other, _)| *other == id) else { return 0 };
    let taken = (time.round() as Ns).min(*part);
    *part -= taken;
    taken
}

/// The calls in which threads slept, by the activity of the sleep: what the threads did in them, the sleep among it.
#[derive(Default)]
pub struct SleepingCalls(FxHashMap<ActivityId, Vec<(ActivityId, Ns)>>);

impl SleepingCalls {
    pub fn note(&mut self, sleep: ActivityId, call: ActivityId, time: Ns, off: &[(ActivityId, Ns)]) {
        add_call(self.0.entry(sleep).or_default(), call, time, off);
    }

    /// The activities that make up a time of such calls.
    fn parts(&self, sleep: ActivityId, time: f64) -> Vec<(ActivityId, f64)> {
        match self.0.get(&sleep) {
            Some(parts) => scaled_to(parts, time),
            None => vec![(sleep, time)],
        }
    }
}

/// These activities in proportion, so that they make up a time.
fn scaled_to(parts: &[(ActivityId, Ns)], time: f64) -> Vec<(ActivityId, f64)> {
    let all = parts.iter().map(|(_, part)| part).sum::<Ns>() as f64;
    parts.iter().map(|(id, part)| (*id, *part as f64 * time / all.max(1.0))).collect()
}

/// Parts of these activities that make up a time, as far as there is enough of them, and the time that is missing then.
fn scaled(parts: &[(ActivityId, Ns)], time: f64) -> (Vec<(ActivityId, f64)>, f64) {
    let all = parts.iter().map(|(_, part)| part).sum::<Ns>() as f64;
    let scale = if all > 0.0 { (time / all).min(1.0) } else { 0.0 };
    let parts = parts.iter().map(|(id, part)| (*id, *part as f64 * scale)).filter(|(_, part)| *part > 0.0);
    (parts.collect(), time - all * scale)
}

/// Adds a call that took `time`, of which the thread spent these parts off its CPUs.
pub fn add_call(parts: &mut Vec<(ActivityId, Ns)>, call: ActivityId, time: Ns, off: &[(ActivityId, Ns)]) {
    let mut rest = time;
    parts_within(&mut rest, off.iter().copied()).for_each(|(id, part)| add(parts, id, part));
    add(parts, call, rest);
}

pub fn add(parts: &mut Vec<(ActivityId, Ns)>, id: ActivityId, time: Ns) {
    if time == 0 {
        return;
    }
    match parts.iter().position(|(other, _)| *other == id) {
        Some(place) => {
            parts[place].1 += time;
            // Frequent ones come to the front.
            parts.swap(place, place.saturating_sub(1));
        }
        None => {
            if parts.len() >= MAX_ACTIVITIES {
                fold(parts);
            }
            parts.push((id, time));
        }
    }
}

/// Makes room: the shorter half of the activities become one. A thread may begin late with what it does most, so the first ones have no right to stay.
fn fold(parts: &mut Vec<(ActivityId, Ns)>) {
    let mut times: Vec<Ns> = parts.iter().map(|(_, time)| *time).collect();
    let middle = times.len() / 2;
    let median = *times.select_nth_unstable(middle).1;
    let mut folded = 0;
    parts.retain(|&(id, time)| {
        let stays = id != 0 && time > median;
        folded += if stays { 0 } else { time };
        stays
    });
    parts.push((0, folded));
}
