//! Threads wait for each other at a lock.

use super::common::Bounded;
use super::held_calls::{HeldCalls, is_behind_lock};
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Claim, Confidence, Evidence, EvidenceKind};
use crate::report::quantity::{LONGEST_WAIT, MISSED, OTHERS, THREADS, TID, TIMES, WAITED, WAKES, WAKES_BY_ONE};
use crate::report::statement::{Statement, say};
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use stride_event::{Ns, Outcome, Tid};
use stride_syscalls::{Syscall, uapi::consts as c};
use stride_track::{CriticalPath, Futex, Tracker};

const LOCK_WAITS: Threshold = Threshold::count("lock-waits", 100, "waits at one lock");
const LOCK_PART: Threshold = Threshold::part("lock-part", 0.1, "the part of the run that each thread lost at the lock");

pub const RULE: RuleInfo = RuleInfo {
    id: "lock-contention",
    title: "lock contention",
    explanation: "Several threads wait with futex(2) at one address and wake each other there: they compete for a lock.\n\n\
        Threads also wait at futexes for work to do. A futex is taken for a lock if three things hold: the value that \
        waiting threads expect there is that of a mutex with waiters (2 in the C library's and most others, the highest bit \
        in musl's and in those that inherit priority); at least two threads wait; and the threads that wake others are the \
        same that wait there, rather than one that hands out work. So pthread_join(3) and idle workers at a condition \
        variable do not count. The estimate is the average time that a thread waited there: without the others, each would \
        have ended that much earlier. It counts as far as the run waits for these threads.\n\n\
        Example: four threads parse lines and count words in one table under one mutex, 3,000 times each. They wait 7,900 times, 1.2 s in all: 300 ms for each thread in a run of 420 ms. With a table for each thread, merged at the end, they do not wait at all.",
    thresholds: &[LOCK_WAITS, LOCK_PART],
    make: || Box::new(LockContention::default()),
};

/// The futex word's process and address. The process is 0 for memory that processes share.
type Address = (Tid, u64);

#[derive(Default)]
struct LockContention {
    locks: Bounded<Address, Lock>,
    members: usize,
    held: HeldCalls,
}

struct Lock {
    key: CallKey,
    line: u64,
    waits: u64,
    /// Waits whose expected value looks like that of a lock.
    as_lock: u64,
    /// Waits that came too late: the lock had changed hands meanwhile.
    missed: u64,
    wakes: u64,
    time: Ns,
    longest: Ns,
    threads: Vec<Member>,
}

struct Member {
    tid: Tid,
    comm: Vec<u8>,
    waits: u64,
    wakes: u64,
    time: Ns,
}

/// The number of threads that are told apart, at one lock and at all.
const MAX_MEMBERS: usize = 256;
const MAX_ALL_MEMBERS: usize = 1 << 18;

enum Operation {
    Wait { as_lock: bool },
    Wake,
}

impl Rule for LockContention {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, _: &Index) {
        if !Futex::is(observed.row) {
            return self.held.call(observed);
        }
        self.held.turn(observed);
        let Some((operation, private)) = operation(observed) else { return };
        let pid = if private { observed.seen.pid } else { 0 };
        let at = (pid, observed.call.args[0]);
        if self.locks.forget_ended(observed.tracker, |lock| lock.waits >= LOCK_WAITS.get()) {
            self.members = self.locks.iter().map(|(_, lock)| lock.threads.len()).sum();
        }
        let lock = match operation {
            Operation::Wait { .. } if self.members < MAX_ALL_MEMBERS => self.locks.entry(at, || Lock::new(observed)),
            // Only a wait makes an entry.
            _ => self.locks.get_mut(&at),
        };
        let Some(lock) = lock else { return };
        let Some(member) = Lock::member(&mut lock.threads, observed) else { return };
        self.members += usize::from(member.waits + member.wakes == 0);
        match operation {
            Operation::Wait { as_lock } => {
                let waited = if missed(observed) { 0 } else { observed.time() };
                lock.waits += 1;
                lock.as_lock += u64::from(as_lock);
                lock.missed += u64::from(missed(observed));
                lock.time += waited;
                lock.longest = lock.longest.max(waited);
                member.waits += 1;
                member.time += waited;
            }
            Operation::Wake => {
                lock.wakes += 1;
                member.wakes += 1;
            }
        }
    }

    fn findings(&mut self, index: &Index, _: &Tracker) -> Vec<Candidate> {
        let mut locks: Vec<_> = self.locks.iter().filter(|(_, lock)| lock.is_contended(index.span())).collect();
        locks.sort_by_key(|((_, address), lock)| (std::cmp::Reverse(lock.lost()), *address));
        let Some(((_, address), worst)) = locks.first() else { return Vec::new() };
        let waiters = worst.threads.iter().filter(|thread| thread.waits > 0).count();
        let held_in = self.held.most(|tid| worst.threads.iter().any(|thread| thread.tid == tid && thread.waits > 0));
        let others = match locks.len() - 1 {
            0 => "".into(),
            1 => "; another lock is much the same".into(),
            n => say!("; {} other locks are much the same", OTHERS.of(n as u64)),
        };
        let waker = worst.threads.iter().max_by_key(|thread| (thread.wakes, std::cmp::Reverse(thread.tid)));
        let woken = waker.filter(|thread| thread.wakes > 0).map_or(Statement::default(), |thread| {
            say!(
                ", most often woken by thread {} ({} of {} times)",
                TID.id(thread.tid),
                WAKES_BY_ONE.of(thread.wakes),
                WAKES.of(worst.wakes)
            )
        });
        let missed = match worst.missed {
            0 => "".into(),
            1 => "; once it had changed hands before they could".into(),
            n => say!("; {} times it had changed hands before they could", MISSED.of(n)),
        };
        let places = locks.iter().map(|((_, address), lock)| {
            let mut evidence = Evidence::new(EvidenceKind::Other, format!("lock at {address:#x}"), lock.waits);
            evidence.time = Some(lock.time);
            evidence.line = Some(lock.line);
            evidence
        });
        let mut threads: Vec<&Member> = worst.threads.iter().filter(|thread| thread.waits > 0).collect();
        threads.sort_by_key(|thread| (std::cmp::Reverse(thread.time), thread.tid));
        let threads = threads.iter().map(|thread| {
            let name = [thread.comm.as_slice(), format!(" (thread {})", thread.tid).as_bytes()].concat();
            let mut evidence = Evidence::new(EvidenceKind::Process, name, thread.waits);
            evidence.time = Some(thread.time);
            evidence
        });
        let saved: Ns = locks.iter().map(|(_, lock)| lock.lost_on_path(index.path())).sum();
        let behind: Ns =
            index.account().shares.iter().filter(|share| is_behind_lock(share)).map(|share| share.time).sum();
        vec![Candidate {
            sentence: say!(
                "{} threads waited {} times for the lock at {address:#x}, {} in all and {} at most{}{}{}{}.",
                THREADS.of(waiters as u64),
                TIMES.of(worst.waits),
                WAITED.of(worst.time),
                LONGEST_WAIT.of(worst.longest),
                woken,
                missed,
                others,
                held_in.as_ref().map_or(Statement::default(), |held| held.clause("they had it")),
            ),
            evidence: places.take(2).chain(threads.take(3)).collect(),
            advice: match &held_in {
                Some(held) => format!(
                    "Call {} when the lock has been given back, or once for what several threads have brought; or use several locks, each for a part of the data.",
                    held.name()
                ),
                None => "Hold the lock for a shorter time, without system calls or long work; or use several locks, each for a \
                     part of the data; or give each thread data of its own, and merge it at the end."
                    .into(),
            },
            stacks: held_in.into_iter().flat_map(|held| held.stacks).collect(),
            confidence: Confidence::Likely,
            claims: locks.iter().map(|(_, lock)| Claim { key: lock.key, calls: lock.waits + lock.wakes }).collect(),
            estimate: "the futex calls for this lock, and the time that a thread waited on average".into(),
            more_time: saved,
            perhaps_more: behind.min(worst.lost()).saturating_sub(saved),
            ..Candidate::default()
        }]
    }
}

impl Lock {
    fn new(observed: &Observed<'_>) -> Lock {
        Lock {
            key: observed.key,
            line: observed.line,
            waits: 0,
            as_lock: 0,
            missed: 0,
            wakes: 0,
            time: 0,
            longest: 0,
            threads: Vec::new(),
        }
    }

    fn member<'a>(threads: &'a mut Vec<Member>, observed: &Observed<'_>) -> Option<&'a mut Member> {
        let tid = observed.call.tid;
        let at = match threads.iter().position(|thread| thread.tid == tid) {
            Some(at) => at,
            None if threads.len() < MAX_MEMBERS => {
                let comm = observed.tracker.thread(tid).map(|thread| thread.comm.clone()).unwrap_or_default();
                threads.push(Member { tid, comm, waits: 0, wakes: 0, time: 0 });
                threads.len() - 1
            }
            None => return None,
        };
        threads.get_mut(at)
    }

    /// The average time that a thread lost here.
    fn lost(&self) -> Ns {
        let waiters = self.threads.iter().filter(|thread| thread.waits > 0).count() as u64;
        self.time / waiters.max(1)
    }

    /// The same, as far as the run waits for these threads. Compiler threads of Java's, say, wait for each other while
    /// nobody waits for them.
    fn lost_on_path(&self, path: &CriticalPath) -> Ns {
        let waited_for: Ns = self.threads.iter().map(|thread| thread.time.min(path.time(thread.tid))).sum();
        self.lost().min(waited_for)
    }

    fn is_contended(&self, run: Ns) -> bool {
        let waiters = self.threads.iter().filter(|thread| thread.waits > 0);
        let woken_by_them: u64 = waiters.clone().map(|thread| thread.wakes).sum();
        self.waits >= LOCK_WAITS.get()
            && self.as_lock * 10 >= self.waits * 9
            && waiters.count() >= 2
            && woken_by_them * 2 > self.wakes
            && self.lost() as f64 >= run as f64 * LOCK_PART.ratio()
    }
}

/// The operation of a futex(2) call, and whether the futex is private to one process.
fn operation(observed: &Observed<'_>) -> Option<(Operation, bool)> {
    let args = &observed.call.args;
    let operation = match Futex::of(args)? {
        Futex::Wake => Operation::Wake,
        Futex::Condition => return None,
        wait => Operation::Wait { as_lock: wait.may_be_lock() },
    };
    Some((operation, Futex::is_private(args)))
}

/// True if the value had changed, so that the call did not wait.
fn missed(observed: &Observed<'_>) -> bool {
    const EAGAIN: Outcome = Outcome::Error(c::EAGAIN as u32);
    observed.call.outcome == EAGAIN
}

#[cfg(test)]
mod tests {
    use crate::Findings;
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;
    const OTHERS: [Tid; 2] = [8, 9];
    const JOIN: u64 = 0x109;

    /// Two threads hand a lock to each other for 1 s, and the main thread waits for their ends or does not.
    fn contended(joined: bool) -> Findings {
        let mut run = TestRun::new(false);
        let futex = |tid, op, value, from, to| {
            lasting(call(tid, "futex", &[0x1000, op, value], Outcome::Value(1)), from, to - from)
        };
        run.show(spawned(MAIN, 0));
        OTHERS.iter().for_each(|tid| run.show(forked(MAIN, *tid, MAIN, 1)));
        for i in 0..100 {
            let (at, [one, other]) = (i * 10 * MS, if i % 2 == 0 { OTHERS } else { [9, 8] });
            run.show(Event::Exit(&futex(one, 0x81, 1, at + 9 * MS, at + 9 * MS + 100)));
            run.show(Event::Exit(&futex(other, 0x80, 2, at + 10, at + 9 * MS + 50)));
        }
        let end = 1000 * MS;
        for tid in OTHERS {
            if joined {
                let set = call(tid, "set_tid_address", &[0x5000 + tid as u64], Outcome::Value(tid.into()));
                run.show(Event::Exit(&lasting(set, end - 10, 1)));
            }
            run.show(exited(tid, end));
            if joined {
                let join = call(MAIN, "futex", &[0x5000 + tid as u64, JOIN, tid as u64], Outcome::Value(0));
                run.show(Event::Exit(&lasting(join, 2, end + 10)));
            }
        }
        run.show(Event::Exit(&lasting(call(MAIN, "getpid", &[], Outcome::Value(MAIN.into())), end + 20, 10)));
        run.show(exited(MAIN, end + 100));
        run.findings()
    }

    /// A lock for which only threads wait that nobody waits for costs the run nothing.
    #[test]
    fn as_far_as_the_run_waits() {
        let joined = contended(true).reported;
        assert_eq!(joined.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["lock-contention"]);
        assert!(joined[0].saving.time > 300 * MS, "{:?}", joined[0].saving);
        let minor = contended(false);
        assert!(minor.reported.is_empty(), "{:?}", minor.reported);
        assert_eq!(minor.minor.len(), 1);
    }
}
