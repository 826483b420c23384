//! The flags of clone(2) and its relatives.

use stride_event::Call;
use stride_syscalls::uapi::consts::{CLONE_CHILD_CLEARTID, CLONE_FILES, CLONE_THREAD, CLONE_VM};

pub struct Cloned {
    flags: u64,
    child_tid: u64,
}

impl Cloned {
    /// fork(2) and vfork(2) have no flags. Those of clone3(2) are in memory.
    pub fn of(call: &Call) -> Cloned {
        let held = |arg, member| call.arg(arg).or_else(|| call.field("cl_args", member)).unwrap_or(0);
        Cloned { flags: held("flags", "flags"), child_tid: held("child_tidptr", "child_tid") }
    }

    /// The child is a thread of the same process.
    pub fn makes_thread(&self) -> bool {
        self.flags & CLONE_THREAD != 0
    }

    /// Parent and child share one memory. (So they do after vfork(2), which has no flags.)
    pub fn shares_memory(&self) -> bool {
        self.flags & CLONE_VM != 0
    }

    /// Parent and child share one descriptor table.
    pub fn shares_descriptors(&self) -> bool {
        self.flags & CLONE_FILES != 0
    }

    /// The word that the kernel clears when the child ends. It wakes the threads that wait there: pthread_join(3)
    /// does.
    pub fn cleared_at_end(&self) -> Option<u64> {
        (self.flags & CLONE_CHILD_CLEARTID != 0).then_some(self.child_tid)
    }
}
