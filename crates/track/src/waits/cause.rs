//! One word for the thing that a call's thread waited for.

use crate::{ObjectKind, Seen, Tracker};
use stride_event::{Call, WaitKind};
use stride_syscalls::For;

/// The word for the thing that a call's thread waited for longest. `None`: the thread never left its CPU, or that was not measured.
pub fn wait_cause(call: &Call, seen: &Seen, tracker: &Tracker) -> Option<&'static str> {
    let waits = call.waits.as_deref()?;
    let longest = waits.in_call.parts().max_by_key(|(_, time)| *time)?.0;
    Some(match longest {
        WaitKind::Runnable => "cpu",
        WaitKind::Throttled => "throttled",
        WaitKind::Stopped => "stopped",
        WaitKind::Disk => "disk",
        WaitKind::Blocked => asleep(seen, tracker),
    })
}

/// The syscall says that, and if it only moves bytes, the thing that its descriptor refers to.
fn asleep(seen: &Seen, tracker: &Tracker) -> &'static str {
    let object = seen.object.map(|object| tracker.kind(object));
    match seen.row.and_then(|row| row.waits().or_else(|| row.may_wait())) {
        Some(For::Time) => "timer",
        Some(For::Readiness) => "readiness",
        Some(For::Completion) => "completion",
        Some(For::Lock) => "lock",
        Some(For::Signal) => "signal",
        Some(For::Child) => "child",
        Some(For::Turn) => "turn",
        Some(For::Peer) if object == Some(ObjectKind::Pipe) => "pipe",
        Some(For::Peer) => "socket",
        None => match object {
            Some(ObjectKind::Pipe) => "pipe",
            Some(ObjectKind::Socket) => "socket",
            Some(ObjectKind::Path) => "file",
            _ => "other",
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
            wait_cause(&call, tracker.seen().unwrap(), &tracker)
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
