//! Pairs of a call and the thread that it made. The call's return and the thread's start may come in any order.

use stride_event::{Call, Ns, Tid};

/// A return or a start that waits for its counterpart.
struct Half {
    parent: Tid,
    child: Tid,
    /// The start of the thread, or the duration of the call.
    from: Ns,
    to: Ns,
    flow: u64,
}

/// In a PID namespace the call returns another number. Then the thread that started during the call is meant.
fn made(call: &Half, thread: &Half) -> bool {
    call.parent == thread.parent && thread.from >= call.from && (thread.child == call.child || thread.from <= call.to)
}

#[derive(Default)]
pub struct Flows {
    calls: Vec<Half>,
    threads: Vec<Half>,
}

/// If filters hide one half, the other half waits in vain.
const MOST: usize = 64;

impl Flows {
    /// A call that made a thread returned. Returns the id of the flow: `fresh`, or the one that the thread got.
    pub fn returned(&mut self, call: &Call, child: Tid, fresh: u64) -> u64 {
        let call = Half { parent: call.tid, child, from: call.began(), to: call.returned, flow: fresh };
        // Thread ids are reused, so the latest is meant.
        match self.threads.iter().rposition(|thread| made(&call, thread)) {
            Some(i) => self.threads.remove(i).flow,
            None => wait(call, &mut self.calls),
        }
    }

    /// A thread started. The call that made it may have returned or not.
    pub fn started(&mut self, parent: Tid, child: Tid, at: Ns, fresh: u64) -> u64 {
        let thread = Half { parent, child, from: at, to: at, flow: fresh };
        match self.calls.iter().rposition(|call| made(call, &thread)) {
            Some(i) => self.calls.remove(i).flow,
            None => wait(thread, &mut self.threads),
        }
    }
}

fn wait(half: Half, waiting: &mut Vec<Half>) -> u64 {
    if waiting.len() == MOST {
        waiting.remove(0);
    }
    let flow = half.flow;
    waiting.push(half);
    flow
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(entered: Ns, returned: Ns) -> Call {
        Call { tid: 1, entered: Some(entered), returned, ..Call::default() }
    }

    #[test]
    fn in_either_order() {
        let mut flows = Flows::default();
        assert_eq!(flows.started(1, 2, 15, 70), 70);
        assert_eq!(flows.returned(&call(10, 20), 2, 71), 70);
        assert_eq!(flows.returned(&call(30, 40), 3, 72), 72);
        assert_eq!(flows.started(1, 3, 45, 73), 72);
    }

    #[test]
    fn hidden_calls_and_other_namespaces() {
        let mut flows = Flows::default();
        // The call that made 2 is hidden.
        assert_eq!(flows.started(1, 2, 5, 70), 70);
        assert_eq!(flows.returned(&call(10, 20), 900, 71), 71);
        assert_eq!(flows.started(1, 3, 15, 72), 71);
        assert_eq!(flows.returned(&call(30, 40), 2, 73), 73, "the number is used again");
        assert_eq!(flows.started(1, 2, 35, 74), 73);
        for child in 0..1000 {
            flows.started(1, child, 50, 80);
        }
        assert!(flows.threads.len() <= MOST);
    }
}
