//! Names around scheduling.

use crate::sets;

sets! {
    /// Policies: linux/sched.h. `SCHED_OTHER` is the POSIX name of `SCHED_NORMAL`; `SCHED_ISO` is reserved.
    pub POLICY "SCHED_???" {
        SCHED_OTHER = 0, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_ISO = 4, SCHED_IDLE, SCHED_DEADLINE, SCHED_EXT
    }
    /// A policy with the flag that may go with it; no negative number has it
    pub POLICY_FLAGS "SCHED_???" {
        SCHED_RESET_ON_FORK in 0xc000_0000, SCHED_OTHER = 0 in 0xbfff_ffff, SCHED_FIFO in 0xbfff_ffff,
        SCHED_RR in 0xbfff_ffff, SCHED_BATCH in 0xbfff_ffff, SCHED_ISO = 4 in 0xbfff_ffff, SCHED_IDLE in 0xbfff_ffff,
        SCHED_DEADLINE in 0xbfff_ffff, SCHED_EXT in 0xbfff_ffff
    }
    /// linux/sched.h
    pub SCHED_FLAGS "SCHED_FLAG_???" {
        SCHED_FLAG_RESET_ON_FORK, SCHED_FLAG_RECLAIM, SCHED_FLAG_DL_OVERRUN, SCHED_FLAG_KEEP_POLICY, SCHED_FLAG_KEEP_PARAMS,
        SCHED_FLAG_UTIL_CLAMP_MIN, SCHED_FLAG_UTIL_CLAMP_MAX
    }
    /// sched_getattr(2) flags: linux/sched.h as of 6.19
    pub GETATTR "SCHED_GETATTR_FLAG_???" { SCHED_GETATTR_FLAG_DL_DYNAMIC = 1 }
    /// linux/resource.h
    pub PRIO_WHICH "PRIO_???" { PRIO_PROCESS, PRIO_PGRP, PRIO_USER }
}
