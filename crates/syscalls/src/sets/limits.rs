//! Resources.

use crate::sets;

sets! {
    /// asm-generic/resource.h
    pub RESOURCE "RLIMIT_???" {
        RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE,
        RLIMIT_MEMLOCK, RLIMIT_AS, RLIMIT_LOCKS, RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_RTPRIO,
        RLIMIT_RTTIME
    }
    /// getrusage(2): linux/resource.h
    pub USAGE_WHO "RUSAGE_???" { RUSAGE_SELF, RUSAGE_CHILDREN = 0xffffffff, RUSAGE_BOTH = 0xfffffffe, RUSAGE_THREAD }
}
