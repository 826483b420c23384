//! Somebody has the lock of a file and waits for something else, while others wait for that lock.

use super::common::{on_object, plain, thing};
use crate::counts::index::{CallKey, Index};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::collections::BTreeMap;
use stride_event::Ns;
use stride_syscalls::{For, table};
use stride_track::{Activity, CallOn, ObjectId, TimeShare, Tracker, Who};

const HELD_PART: Threshold = Threshold::part(
    "held-part",
    0.2,
    "the part of the run in which somebody waited with the lock, and others for the lock",
);

pub const RULE: RuleInfo = RuleInfo {
    id: "held-lock",
    title: "waiting with a lock",
    explanation: "A process takes the lock of a file (flock, fcntl) or a semaphore and then waits for something else: for the answer of a server, \
        a child, a sleep. Others that want the lock wait all that time, though they would not be in each other's way. Sessions of web applications \
        are often locked so for a whole request.\n\n\
        This is reported if a fifth of the run passed while one waited with a lock and another one for it. The estimate is at least half of that time, because two of \
        them could wait at the same time, and more if more of them can.\n\n\
        Example: each of six PHP workers locks the file of the same session, asks a backend that takes 40 ms, and gives the lock back at the end of the page. \
        Thirty pages take 1.2 s. With session_write_close() before the question, they take 0.25 s.",
    thresholds: &[HELD_PART],
    make: || Box::new(HeldLock),
};

struct HeldLock;

/// The holder of a lock and its wait, and who waits for the lock.
type Held<'a> = (&'a Who, CallOn, &'a Who, CallOn);

impl Rule for HeldLock {
    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let account = index.account();
        let mut locks: BTreeMap<ObjectId, (Ns, Held<'_>)> = BTreeMap::new();
        for share in &account.shares {
            let Some((lock, held)) = held(share) else { continue };
            // The largest share comes first, and is told.
            locks.entry(lock).or_insert((0, held)).0 += share.time;
        }
        let worst = locks.into_iter().max_by_key(|(_, (time, _))| *time);
        let Some((lock, (time, (holder, wait, other, locking)))) = worst else { return Vec::new() };
        if (time as f64) < index.own_total() as f64 * HELD_PART.ratio() {
            return Vec::new();
        }
        let call = |on: CallOn| {
            let name = table(on.abi).name(on.nr);
            format!("{name}{}", on_object(on.object, tracker))
        };
        let key = CallKey { abi: locking.abi, nr: locking.nr as u32, object: Some(lock) };
        let waits = index.tally(key).calls;
        vec![Candidate {
            sentence: say!(
                "{} waited in {} with the lock of {}, and {} waited for that lock meanwhile: so passed {} of the run's {}.",
                plain(&holder.comm),
                call(wait),
                plain(tracker.name(lock)),
                plain(&other.comm),
                WAITED.of(time),
                RUN.of(account.total),
            ),
            evidence: vec![thing(lock, waits, tracker)],
            advice: "Give the lock back before you wait for others, and take it again for the change itself; lock each part of the data on its own. In \
                     PHP, session_write_close() gives back the session's lock. A lock of flock(2) stays until everybody has closed the descriptor: a child in the background that inherited it has to close it (9>&- in a shell)."
                .into(),
            confidence: Confidence::Likely,
            makers: vec![(key, waits)],
            estimate: "half of that time if two of them wait at once, more if more of them do".into(),
            whole_time: Some(time / 2),
            perhaps_more: time / 2,
            instead_of: &["taking-turns", "timed-waits", "polling", "lock-step"],
            ..Candidate::default()
        }]
    }
}

/// The lock that is held in this part of the time, and by whom. The wait of the holder is the one below that for the lock.
fn held(share: &TimeShare) -> Option<(ObjectId, Held<'_>)> {
    let own = match &share.activity {
        Activity::Asleep(on, ..) => Some((&share.who, *on)),
        // Without measured waits, the call may have worked.
        Activity::InCall(on) | Activity::Unmeasured(on) if waits_for(*on).is_some() => Some((&share.who, *on)),
        _ => None,
    };
    let waits = share.awaited_by.iter().map(|(who, on)| (who, *on));
    let waits: Vec<(&Who, CallOn)> = own.into_iter().chain(waits).collect();
    waits.windows(2).find_map(|pair| {
        let [(holder, wait), (other, locking)] = *pair else { return None };
        (locking.waits_for_turn() && !wait.waits_for_turn())
            .then_some((locking.object?, (holder, wait, other, locking)))
    })
}

fn waits_for(on: CallOn) -> Option<For> {
    let row = table(on.abi).get(on.nr).map(|entry| entry.row);
    row.and_then(|row| row.may_wait().or(row.waits()))
}
