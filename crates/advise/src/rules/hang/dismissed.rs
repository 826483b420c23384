//! Idle servers that the program ends when it needs them no more. Their waits are no fault.

use crate::counts::index::Observed;
use rustc_hash::FxHashSet;
use stride_event::Tid;
use stride_syscalls::{Flow, For};
use stride_track::{ObjectKind, Tracker, Wait};

const MAX_PROCESSES: usize = 1 << 17;

#[derive(Default)]
pub struct DismissedServers {
    /// Processes that a traced process told to end.
    told_to_end: FxHashSet<Tid>,
    /// Processes that accept connections, and the parents of these: a worker that was never given one is a server as its siblings are.
    servers: FxHashSet<Tid>,
    parents: FxHashSet<Tid>,
}

impl DismissedServers {
    pub fn accepts(&mut self, pid: Tid, tracker: &Tracker) {
        if self.servers.len() < MAX_PROCESSES {
            self.servers.insert(pid);
            self.parents.extend(tracker.process(pid).and_then(|process| process.parent));
        }
    }

    /// A process sends a signal to another one, which may end of it.
    pub fn signalled(&mut self, observed: &Observed<'_>) {
        let signal = observed.call.arg("signum").or(observed.call.arg("sig")).unwrap_or(0);
        let target = observed.call.arg("pid").map_or(0, |pid| pid as Tid);
        if observed.ok()
            && signal != 0
            && target > 0
            && target != observed.seen.pid
            && self.told_to_end.len() < MAX_PROCESSES
        {
            self.told_to_end.insert(target);
        }
    }

    /// A process of the run accepted connections.
    pub fn has_servers(&self) -> bool {
        !self.servers.is_empty()
    }

    pub fn has(&self, pid: Tid, parent: Option<Tid>) -> bool {
        let is_worker = || parent.is_some_and(|parent| self.parents.contains(&parent));
        self.told_to_end.contains(&pid) && (self.servers.contains(&pid) || is_worker())
    }
}

/// The call waits for clients, for what they send, or for any of its descriptors.
pub fn waits_for_work(wait: &Wait, tracker: &Tracker) -> bool {
    let Some(row) = wait.seen.row else { return false };
    let is_socket = || wait.seen.object.is_some_and(|object| tracker.kind(object) == ObjectKind::Socket);
    let takes = || row.transfer().is_some_and(|transfer| transfer.flow == Flow::In);
    row.waits() == Some(For::Readiness) || row.accepts() || takes() && is_socket()
}
