//! Resource limits and usage.

use crate::{Irregular, Ty, Width, structs};

/// A limit as wide as a `long`.
const LIMIT: Ty = Ty::Custom(Irregular::Limit, &Ty::ULong);

structs! {
    /// getrlimit(2): linux/resource.h
    pub RLIMIT_PAIR = rlimit { rlim_cur: LIMIT, rlim_max: LIMIT }
    /// prlimit(2): linux/resource.h
    pub RLIMIT64_PAIR = rlimit64 {
        rlim_cur: Ty::Custom(Irregular::Limit, &Ty::As(Width::W8, &Ty::U64)),
        rlim_max: Ty::Custom(Irregular::Limit, &Ty::As(Width::W8, &Ty::U64))
    }
    /// linux/time_types.h
    pub USAGE_TIME = __kernel_old_timeval { tv_sec: Ty::Long, tv_usec: Ty::ULong }
    /// getrusage(2): linux/resource.h
    pub RUSAGE = rusage {
        ru_utime: Ty::Struct(&USAGE_TIME), ru_stime: Ty::Struct(&USAGE_TIME), [v] ru_maxrss: Ty::ULong,
        [v] ru_ixrss: Ty::ULong, [v] ru_idrss: Ty::ULong, [v] ru_isrss: Ty::ULong, [v] ru_minflt: Ty::ULong,
        [v] ru_majflt: Ty::ULong, [v] ru_nswap: Ty::ULong, [v] ru_inblock: Ty::ULong, [v] ru_oublock: Ty::ULong,
        [v] ru_msgsnd: Ty::ULong, [v] ru_msgrcv: Ty::ULong, [v] ru_nsignals: Ty::ULong, [v] ru_nvcsw: Ty::ULong,
        [v] ru_nivcsw: Ty::ULong
    }
}
