//! The thing that a call's thread waited for.

use crate::{ObjectKind, Seen, Tracker};
use stride_event::{Call, WaitKind};
use stride_syscalls::For;

/// The thing that a call's thread waited for longest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cause {
    Cpu,
    Throttled,
    Stopped,
    Disk,
    Timer,
    Readiness,
    Completion,
    Lock,
    Signal,
    Child,
    Turn,
    Pipe,
    Socket,
    File,
    Other,
}

impl Cause {
    /// The cause of a call. `None`: the thread never left its CPU, or that was not measured.
    pub fn of(call: &Call, seen: &Seen, tracker: &Tracker) -> Option<Cause> {
        let waits = call.waits.as_deref()?;
        let longest = waits.in_call.parts().max_by_key(|(_, time)| *time)?.0;
        Some(match longest {
            WaitKind::Runnable => Cause::Cpu,
            WaitKind::Throttled => Cause::Throttled,
            WaitKind::Stopped => Cause::Stopped,
            WaitKind::Disk => Cause::Disk,
            WaitKind::Blocked => asleep(seen, tracker),
        })
    }

    /// The word for it in tables and in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Cpu => "cpu",
            Cause::Throttled => "throttled",
            Cause::Stopped => "stopped",
            Cause::Disk => "disk",
            Cause::Timer => "timer",
            Cause::Readiness => "readiness",
            Cause::Completion => "completion",
            Cause::Lock => "lock",
            Cause::Signal => "signal",
            Cause::Child => "child",
            Cause::Turn => "turn",
            Cause::Pipe => "pipe",
            Cause::Socket => "socket",
            Cause::File => "file",
            Cause::Other => "other",
        }
    }

    /// The thread slept, and not for a disk or because of a stop.
    pub fn is_blocked(self) -> bool {
        !matches!(self, Cause::Cpu | Cause::Throttled | Cause::Stopped | Cause::Disk)
    }

    /// It in a sentence: "it waited for ...". `None` if the kernel does not tell more than that the thread slept.
    pub fn words(self) -> Option<&'static str> {
        Some(match self {
            Cause::Cpu => "a CPU",
            Cause::Throttled => "its cgroup's next share of the CPUs",
            Cause::Stopped => "leave to go on after a stop",
            Cause::Disk => "a disk",
            Cause::Timer => "a timer",
            Cause::Readiness => "one of several descriptors to be ready",
            Cause::Completion => "operations to complete",
            Cause::Lock => "a futex",
            Cause::Signal => "a signal",
            Cause::Child => "a child",
            Cause::Turn => "its turn",
            Cause::Pipe => "the other end of a pipe",
            Cause::Socket => "the other end of a socket",
            Cause::File => "a file",
            Cause::Other => return None,
        })
    }
}

/// The syscall says that, and if it only moves bytes, the thing that its descriptor refers to.
fn asleep(seen: &Seen, tracker: &Tracker) -> Cause {
    let object = seen.object.map(|object| tracker.kind(object));
    match seen.row.and_then(|row| row.waits().or_else(|| row.may_wait())) {
        Some(For::Time) => Cause::Timer,
        Some(For::Readiness) => Cause::Readiness,
        Some(For::Completion) => Cause::Completion,
        Some(For::Lock) => Cause::Lock,
        Some(For::Signal) => Cause::Signal,
        Some(For::Child) => Cause::Child,
        Some(For::Turn) => Cause::Turn,
        Some(For::Peer) if object == Some(ObjectKind::Pipe) => Cause::Pipe,
        Some(For::Peer) => Cause::Socket,
        None => match object {
            Some(ObjectKind::Pipe) => Cause::Pipe,
            Some(ObjectKind::Socket) => Cause::Socket,
            Some(ObjectKind::Path) => Cause::File,
            _ => Cause::Other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::{CallWaits, Event, Ns, Outcome, Phase};
    use stride_test_support::calls::{call, holding, spawned};

    #[test]
    fn the_longest_wait_has_a_word() {
        let mut tracker = Tracker::default();
        tracker.event(&spawned(1, 5), &());
        let pipe = call(1, "pipe2", &[0x1000, 0], Outcome::Value(0));
        tracker.event(&Event::Exit(&holding(pipe, Phase::Exit, 0x1000, &[3, 0, 0, 0, 4, 0, 0, 0])), &());
        let mut cause = |name: &str, args: &[u64], parts: &[(WaitKind, Ns)]| {
            let waits = CallWaits { in_call: parts.iter().copied().collect(), ..CallWaits::default() };
            let call = stride_event::Call { waits: Some(Box::new(waits)), ..call(1, name, args, Outcome::Value(1)) };
            tracker.event(&Event::Exit(&call), &());
            Cause::of(&call, tracker.seen().unwrap(), &tracker).map(Cause::name)
        };
        let asleep = [(WaitKind::Blocked, 9), (WaitKind::Runnable, 5)];
        assert_eq!(cause("read", &[3, 0, 1], &asleep), Some("pipe"));
        assert_eq!(cause("nanosleep", &[0, 0], &asleep), Some("timer"));
        assert_eq!(cause("wait4", &[0, 0, 0, 0], &asleep), Some("child"));
        assert_eq!(cause("flock", &[3, 2], &asleep), Some("turn"));
        assert_eq!(cause("futex", &[0x1000, 0, 0, 0], &asleep), Some("lock"));
        assert_eq!(cause("read", &[3, 0, 1], &[(WaitKind::Disk, 9)]), Some("disk"));
        assert_eq!(cause("read", &[3, 0, 1], &[(WaitKind::Blocked, 4), (WaitKind::Runnable, 5)]), Some("cpu"));
        assert_eq!(cause("read", &[3, 0, 1], &[]), None);
    }
}
