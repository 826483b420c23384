//! A wait that somebody's signal ended (Ctrl-C), after most of the run had passed in it. A hang looks like that if the program handles the signal.

use super::super::common::{on_object, plain};
use crate::counts::index::Index;
use crate::counts::kinds::{Io, io};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{RUN, WAITED};
use crate::report::statement::say;
use stride_event::{Ns, Tid};
use stride_syscalls::{For, Syscall};
use stride_track::{CallOn, TimeShare, Tracker};

/// Each wait of the share was ended by a signal, and there were hardly more.
const MOST_WAITS: u64 = 3;

/// Facts about signals and servers of the run that its account of time does not tell.
pub struct SignalFacts<'a> {
    /// The processes that a signal killed when they returned from a call.
    pub killed: &'a [Tid],
    /// A process accepted connections. A parent that waits for a server waits until a signal ends that.
    pub has_servers: bool,
}

/// The finding, if such a wait is the largest part of the run, at least half of it, and at least this long.
pub fn candidate(least: Ns, signals: &SignalFacts<'_>, index: &Index, tracker: &Tracker) -> Option<Candidate> {
    let account = index.account();
    // (The largest share comes first.)
    let share = account.shares.first().filter(|_| account.of_run)?;
    let on = share.activity.call().filter(|on| waits_for_others(on, tracker))?;
    let is_most = share.time >= least && share.time >= index.own_total() / 2;
    if !is_most || !was_interrupted(share, signals.killed) || signals.has_servers && waits_for_child(on) {
        return None;
    }
    Some(Candidate {
        sentence: say!(
            "{} waited in {}{} for {} of the run's {}, until a signal ended that wait.",
            plain(&share.who.comm),
            on.row().map_or("a call", |row| row.name),
            on_object(on.object, tracker),
            WAITED.of(share.time),
            RUN.of(account.total),
        ),
        advice: "Run it again and, while it waits, attach from elsewhere and press Ctrl-C there: stride -f --advise -p PID. Then a table tells what each thread waits for, and \
                 which of them could end that."
            .into(),
        confidence: Confidence::Possible,
        matters: true,
        ..Candidate::default()
    })
}

fn waits_for_child(on: &CallOn) -> bool {
    on.row().and_then(Syscall::waits) == Some(For::Child)
}

fn was_interrupted(share: &TimeShare, killed: &[Tid]) -> bool {
    let all = || share.calls.interrupted == share.calls.calls;
    // (A write that a signal interrupts says how much it has written.)
    (1..=MOST_WAITS).contains(&share.calls.calls) && (all() || share.who.pid.is_some_and(|pid| killed.contains(&pid)))
}

/// The call waits for a child, a lock, or what another process sends or takes. A server that waits for clients, and a program that waits for its user, have
/// nothing to do.
fn waits_for_others(on: &CallOn, tracker: &Tracker) -> bool {
    let Some(row) = on.row().filter(|row| !row.accepts()) else { return false };
    let is_terminal = on.object.is_some_and(|object| io(object, tracker) == Io::Terminal);
    let waits = matches!(row.waits().or(row.may_wait()), Some(For::Child | For::Lock | For::Turn | For::Peer));
    (waits || row.transfer().is_some()) && !is_terminal
}

#[cfg(test)]
mod tests {
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;
    const ERESTARTSYS: Outcome = Outcome::Error(512);

    /// A run whose longest call is this one, after which the program says goodbye.
    fn run(name: &str, args: &[u64], outcome: Outcome, took: Ns) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(Event::Exit(&lasting(call(MAIN, name, args, outcome), 10 * MS, took)));
        run.show(Event::Exit(&lasting(call(MAIN, "getpid", &[], Outcome::Value(7)), took + 20 * MS, 10)));
        run.show(exited(MAIN, took + 30 * MS));
        run.finding_ids()
    }

    /// A run that waits for its child until a signal ends the wait. Process 8, of whose start nothing is known, makes this call.
    fn run_beside(its_call: &str) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(Event::Exit(&lasting(call(8, its_call, &[3, 0, 0, 0], Outcome::Value(4)), MS, MS)));
        run.show(Event::Exit(&lasting(call(MAIN, "wait4", &[8, 0, 0, 0], ERESTARTSYS), 10 * MS, 3_000 * MS)));
        run.show(exited(MAIN, 3_020 * MS));
        run.finding_ids()
    }

    /// A run whose longest call is a write to a pipe, and which a signal kills so long after that.
    fn killed(later: Ns) -> Vec<&'static str> {
        let mut run = TestRun::new(false);
        run.show(spawned(MAIN, 0));
        run.show(Event::Exit(&lasting(
            call(MAIN, "write", &[4, 0x1000, 300_000], Outcome::Value(65_536)),
            0,
            3_000 * MS,
        )));
        run.show(Event::Killed { tid: MAIN, signal: 14, core: false, at: 3_000 * MS + later });
        run.finding_ids()
    }

    #[test]
    fn a_wait_that_a_signal_ended_may_have_been_a_hang() {
        const CHILD: &[u64] = &[8, 0, 0, 0];
        assert_eq!(run("wait4", CHILD, ERESTARTSYS, 3_000 * MS), ["hang"]);
        assert_eq!(run("futex", &[0x1000, 0x80, 0, 0], ERESTARTSYS, 3_000 * MS), ["hang"]);
        // Its child may be a server.
        assert_eq!(run_beside("getpid"), ["hang"]);
        assert!(run_beside("accept4").is_empty());
        // A signal that kills interrupts a write, which says how much it has written.
        assert_eq!(killed(100_000), ["hang"]);
        assert!(killed(500 * MS).is_empty(), "the program went on");
        // It ended by itself, or was short, or only let time pass.
        assert!(run("wait4", CHILD, Outcome::Value(8), 3_000 * MS).is_empty());
        assert!(run("wait4", CHILD, ERESTARTSYS, 300 * MS).is_empty());
        assert!(run("nanosleep", &[0x1000, 0], Outcome::Error(516), 3_000 * MS).is_empty());
        // A server without clients.
        assert!(run("accept4", &[3, 0, 0, 0], ERESTARTSYS, 3_000 * MS).is_empty());
        assert!(run("epoll_wait", &[4, 0x1000, 8, u64::MAX], Outcome::Error(4), 3_000 * MS).is_empty());
    }
}
