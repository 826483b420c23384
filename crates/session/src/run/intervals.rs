//! `--every`: the ends of the run's intervals.

use std::time::Duration;
use stride_engine_base::signal::now;
use stride_engine_base::ticks;
use stride_event::{Event, Ns};
use stride_output::Interval;

/// Divides the run into intervals. Calls that the reader counts belong to the interval in which they returned by their own times, which may be
/// those of a recording. If the engine counts, the clock decides, because the counts are taken when an interval ends.
pub struct Intervals {
    every: Ns,
    from: Option<Ns>,
    clock: IntervalClock,
    wall_offset: i128,
    /// The time of the latest event.
    latest: Ns,
    /// The time of the latest request to the engine.
    asked: Ns,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum IntervalClock {
    /// The engine counts.
    Now,
    /// The reader counts, and the program runs.
    Events,
    /// The reader counts, and the program ran when it was recorded.
    Recorded,
}

impl Intervals {
    /// `started`: when tracing began, unless that is long ago.
    pub fn new(every: Duration, clock: IntervalClock, started: Ns, wall_offset: i128) -> Intervals {
        let every = (every.as_nanos() as Ns).max(1);
        let from = (clock != IntervalClock::Recorded).then_some(started);
        let intervals = Intervals { every, from, clock, wall_offset, latest: started, asked: started };
        intervals.await_next();
        intervals
    }

    /// Live, an engine without events says so at the end of the interval.
    fn await_next(&self) {
        if self.clock != IntervalClock::Recorded
            && let Some(from) = self.from
        {
            ticks::set(from.saturating_add(self.every));
        }
    }

    /// The intervals that ended before this event: none, one, or one and all that have followed without events.
    pub fn ended(&mut self, event: &Event<'_>) -> [Option<Interval>; 2] {
        let asked = self.asked;
        if self.clock == IntervalClock::Events {
            self.asked = now();
        }
        let at = match (self.clock, event) {
            (IntervalClock::Now, _) => Some(now()),
            // The engine had no event from before that moment. What happens until the engine's answer arrives, which may take long on a
            // busy machine, is handed out later.
            (IntervalClock::Events, Event::Idle) => Some(asked),
            // Several threads' events may be slightly out of order.
            _ => event.at().filter(|&at| at > 0),
        };
        let Some(at) = at else { return [None; 2] };
        self.latest = self.latest.max(at);
        let from = *self.from.get_or_insert(at);
        let passed = at.saturating_sub(from) / self.every;
        if passed == 0 {
            return [None; 2];
        }
        let (end, rest) = match self.clock {
            IntervalClock::Now => (at, None),
            _ => {
                let end = from + self.every;
                let until = from + passed * self.every;
                (end, (until > end).then(|| self.interval(end, until)))
            }
        };
        let first = self.interval(from, end);
        self.from = Some(rest.map_or(end, |rest| rest.to));
        self.await_next();
        [Some(first), rest]
    }

    /// The interval that the end of the run cuts short.
    pub fn last(&self) -> Interval {
        let to = if self.clock == IntervalClock::Recorded { self.latest } else { now() };
        let from = self.from.unwrap_or(to);
        self.interval(from, to.max(from))
    }

    fn interval(&self, from: Ns, to: Ns) -> Interval {
        Interval { from, to, wall_offset: self.wall_offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at: Ns) -> Event<'static> {
        Event::Exited { tid: 1, status: 0, at }
    }

    #[test]
    fn intervals_of_a_recording_follow_its_times() {
        let mut intervals = Intervals::new(Duration::from_nanos(100), IntervalClock::Recorded, 5, 0);
        let span = |from, to| Some(Interval { from, to, wall_offset: 0 });
        for (event, expected) in [
            (at(1_000), [None, None]),
            (at(1_099), [None, None]),
            (at(1_100), [span(1_000, 1_100), None]),
            // An event of an earlier time belongs to the interval that is open.
            (at(1_050), [None, None]),
            (Event::Idle, [None, None]),
            (at(1_555), [span(1_100, 1_200), span(1_200, 1_500)]),
            (at(u64::MAX), [span(1_500, 1_600), span(1_600, u64::MAX - (u64::MAX - 1_500) % 100)]),
        ] {
            assert_eq!(intervals.ended(&event), expected);
        }
        assert_eq!(intervals.last().to, u64::MAX);
    }

    /// Calls that returned since the engine was asked have yet to come, and belong to the interval.
    #[test]
    fn an_engine_without_events_ends_the_intervals_that_were_over_when_it_was_asked() {
        let mut intervals = Intervals::new(Duration::from_nanos(1), IntervalClock::Events, now(), 0);
        assert_eq!(intervals.ended(&Event::Idle), [None; 2]);
        assert!(intervals.ended(&Event::Idle)[0].is_some());
    }
}
