//! A large part of the run passes in calls of one kind about one thing, or about none, whatever they do.

use super::common::{largest, plain, thing};
use crate::counts::index::{CallCost, CallKey, Index};
use crate::counts::kinds::{CallKind, is_write, waits_by_nature};
use crate::report::finding::{Candidate, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{CALLS, RUN, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::Ns;
use stride_syscalls::{Effect, Syscall, table};
use stride_track::{ObjectKind, Tracker};

const REPEATED_CALLS: Threshold =
    Threshold::count("repeated-calls", 1_000, "calls of one kind about one thing, or about none");
const REPEATED_PART: Threshold =
    Threshold::part("repeated-part", 0.15, "the part of the run that passes in these calls");

pub const RULE: RuleInfo = RuleInfo {
    id: "repeated",
    title: "one kind of call, again and again",
    explanation: "A large part of the run passes in calls of one kind, about one and the same file or descriptor or about none, and no other finding says why. This is read \
        from the account of the calls, not from a pattern, so it tells where to look, and not what is wrong.\n\n\
        Reported are at least 1,000 calls that take 15% of the run or more. Calls that move data of files, pipes and sockets do not count, nor do those that wait or wake, open, make, map or \
        control a device: such calls do the work of a program, and other findings look at them. A number that is written to an eventfd counts. Under ptrace, the stops at each call take so long that the part of the run says nothing, and nothing is reported.\n\n\
        Example: a program that writes into a mapped file calls ftruncate(2) for each record, which makes the file longer by 100 bytes: 40,000 calls, 38% of the run. \
        With 1 MiB at a time, there are four. It is fine if each call is needed.",
    thresholds: &[REPEATED_CALLS, REPEATED_PART],
    make: || Box::new(Repeated),
};

/// All is in the index.
struct Repeated;

impl Rule for Repeated {
    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        if index.calls_are_stopped() {
            return Vec::new();
        }
        let run = index.busy_span();
        let part = run as f64 * REPEATED_PART.ratio();
        let time = |key: CallKey, cost: CallCost| index.price_on_path(key, cost.calls) as Ns;
        let often = index.tallies().filter(|(key, cost)| {
            cost.calls >= REPEATED_CALLS.get() && cost.time as f64 >= part && counts(*key, tracker)
        });
        let costs =
            often.map(|(key, cost)| (time(key, cost), key, cost.calls)).filter(|(time, ..)| *time as f64 >= part);
        let worst = largest(costs, 1, |(time, key, _)| (*time, std::cmp::Reverse((key.nr, key.object))));
        worst.into_iter().filter_map(|(time, key, calls)| candidate(time, key, calls, index, tracker)).collect()
    }
}

fn candidate(time: Ns, key: CallKey, calls: u64, index: &Index, tracker: &Tracker) -> Option<Candidate> {
    let (row, span) = (row(key)?, RUN.of(index.busy_span()));
    let whole = match index.account().of_run {
        true => say!("the run's {}", span),
        false => say!("the {} in which its threads were at work", span),
    };
    let about = key.object.map_or(String::new(), |object| format!(" for {}", plain(tracker.name(object))));
    let evidence = match key.object {
        Some(object) => thing(object, calls, tracker),
        None => Evidence::new(EvidenceKind::Syscall, row.name, calls),
    };
    Some(Candidate {
        sentence: say!(
            "{}(2) was called {} times{about}: {} of {} passed in these calls.",
            row.name,
            CALLS.of(calls),
            WAITED.of(time),
            whole
        ),
        evidence: vec![Evidence { time: Some(time), ..evidence }],
        advice: "See whether one call can do for many: make room for many records at a time, tell of many items at once, keep the answer, or set only what has changed.".into(),
        confidence: Confidence::Possible,
        makers: vec![(key, calls)],
        perhaps_more: time,
        estimate: "all of that if one call can stand for many, and nothing if each is needed".into(),
        unless_saved: Some((index.busy_span() as f64 * REPEATED_PART.ratio() / 2.0) as Ns),
        ..Candidate::default()
    })
}

fn row(key: CallKey) -> Option<&'static Syscall> {
    Some(table(key.abi).get(key.nr.into())?.row)
}

/// True if such calls may be more than they have to be.
fn counts(key: CallKey, tracker: &Tracker) -> bool {
    let Some(row) = row(key) else { return false };
    // An eventfd is the only thing without a name that is written to.
    let is_counter = key.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Anonymous) && is_write(row);
    let works = |effect: &Effect| {
        matches!(
            effect,
            Effect::Makes(..)
                | Effect::Maps
                | Effect::Unmaps
                | Effect::Forks
                | Effect::Wakes
                | Effect::Yields
                | Effect::Exits
                | Effect::Executes
                | Effect::Connects
                | Effect::ControlsDevice
                | Effect::DrivesRing
        )
    };
    !waits_by_nature(key)
        && !matches!(CallKind::of(row), CallKind::Close | CallKind::Sync)
        && !row.effects.iter().any(works)
        && (row.transfer().is_none() || is_counter)
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, lasting, spawned};

    const MAIN: Tid = 7;
    const US: Ns = 1_000;

    /// A run in which one call is made so many times about descriptor 3, which the first call has made. Tracing stops each call so long.
    fn found(makes: &str, name: &str, times: u64, stops: Ns) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        let mut at = 0;
        let mut next = |name: &str, args: &[u64], value: i64, took: Ns| {
            at += took + 10 * US;
            lasting(call(MAIN, name, args, Outcome::Value(value)), at - took, took)
        };
        run.show(spawned(MAIN, 0));
        run.show(Event::Exit(&next(makes, &[0, 0], 3, US + stops)));
        for _ in 0..times {
            run.show(Event::Exit(&next(name, &[3, 8, 8], 8, 20 * US + stops)));
        }
        run.show(exited(MAIN, times * (30 * US + stops) + 40 * US));
        run.finding_ids()
    }

    #[test]
    fn calls_that_may_be_more_than_they_have_to_be() {
        assert_eq!(found("eventfd2", "write", 2_000, 0), ["repeated"]);
        assert_eq!(found("memfd_create", "ftruncate", 2_000, 0), ["repeated"]);
        assert!(found("memfd_create", "ftruncate", 2_000, 10 * US).is_empty(), "nobody knows how long they take");
        assert!(found("memfd_create", "ftruncate", 900, 0).is_empty());
        assert_eq!(found("eventfd2", "mprotect", 2_000, 0), ["repeated"], "about nothing that has a descriptor");
        assert!(found("eventfd2", "sched_yield", 2_000, 0).iter().all(|id| *id != "repeated"));
        assert!(found("eventfd2", "read", 2_000, 0).is_empty(), "waits");
        assert!(found("epoll_create1", "epoll_wait", 2_000, 0).is_empty(), "waits by nature");
    }
}
