//! Divides the time of requests, back along the threads that they went through.

use super::bands::PartSum;
use super::connection::AnswerTime;
use super::{MAX_STEPS, Requests};
use crate::Tracker;
use crate::causes::path_parts::ActivityId;
use crate::causes::spent::Activity;
use stride_event::{Ns, Tid};

/// Threads that a request goes through.
const MAX_HAND_OVERS: usize = 16;

impl Requests {
    /// Divides a piece of a request's time, from its end back to its beginning.
    pub(super) fn account(&mut self, piece: &AnswerTime, tracker: &Tracker) {
        let mut parts: Vec<(ActivityId, f64)> = Vec::new();
        let (start, mut to, mut tid) = (piece.from, piece.to, piece.sender);
        for _ in 0..MAX_HAND_OVERS {
            let next = self.along(piece, tid, &mut to, &mut parts, tracker);
            match next {
                Some(waker) if to > start => tid = waker,
                _ => break,
            }
        }
        if to > start {
            let party = self.party(tid, tracker);
            parts.push((self.spent.activities.id((party, Activity::Unknown)), (to - start) as f64));
        }
        let sums = self.parts.entry((piece.connection, piece.since)).or_default();
        for (id, part) in parts {
            *sums.entry(id).or_default() += PartSum { time: part, times: 1 };
        }
    }

    /// The party of a thread, which may be gone by now.
    fn party(&mut self, tid: Tid, tracker: &Tracker) -> u32 {
        let known = self.logs.get(&tid).and_then(|log| log.party);
        known.unwrap_or_else(|| self.spent.party(tid, tracker))
    }

    /// Goes back along one thread. Returns the thread that handed the request over to it at the moment `to`.
    fn along(
        &mut self,
        piece: &AnswerTime,
        tid: Tid,
        to: &mut Ns,
        parts: &mut Vec<(ActivityId, f64)>,
        tracker: &Tracker,
    ) -> Option<Tid> {
        let party = self.party(tid, tracker);
        let (busy, unknown) =
            (self.spent.activities.id((party, Activity::Busy)), self.spent.activities.id((party, Activity::Unknown)));
        let log = self.logs.get(&tid)?;
        let end = *to;
        // A thread that did not receive the request worked for others before it came to this one.
        let mut others = false;
        for segment in log.segments.iter().rev().skip_while(|segment| segment.from >= end).take(MAX_STEPS) {
            if segment.to < *to {
                parts.push((unknown, (*to - segment.to.max(piece.from)) as f64));
                *to = segment.to.max(piece.from);
            }
            if *to <= piece.from {
                return None;
            }
            let from = segment.from.max(piece.from);
            let of_other = segment.owner.is_some_and(|owner| owner != piece.connection);
            others |= of_other && tid != piece.receiver;
            if of_other {
                parts.push((busy, (*to - from) as f64));
                *to = from;
                continue;
            }
            let handed_over = segment.woken.filter(|(waker, at)| {
                (segment.from < piece.from || others && segment.idle)
                    && (piece.from..*to).contains(at)
                    && *waker != tid
                    && self.logs.contains_key(waker)
            });
            if let Some((waker, at)) = handed_over {
                match others {
                    true => parts.push((busy, (*to - at) as f64)),
                    false => parts.extend(segment.awake(at, *to)),
                }
                *to = at;
                return Some(waker);
            }
            match others && !segment.idle {
                true => parts.push((busy, (*to - from) as f64)),
                false => parts.extend(segment.piece(from, *to)),
            }
            *to = from;
        }
        // Nothing is known of the time before. If the thread began then, the thread that made it handed the request over.
        log.made_by.filter(|(_, at)| *at == *to).map(|(parent, _)| parent)
    }
}
