//! Times as structs. Those of the first calls have words of the call's ABI; the `64` ones are the same on all.

use crate::sets::time::*;
use crate::{Ty, structs};

structs! {
    /// linux/time_types.h
    pub TIMESPEC = __kernel_old_timespec { tv_sec: Ty::Long, tv_nsec: Ty::ULong }
    /// linux/time_types.h
    pub TIMESPEC64 = __kernel_timespec { tv_sec: Ty::I64, tv_nsec: Ty::U64 }
    /// linux/time_types.h
    pub TIMEVAL = __kernel_old_timeval { tv_sec: Ty::Long, tv_usec: Ty::ULong }
    /// linux/time.h
    pub TIMEZONE = timezone { tz_minuteswest: Ty::Int, tz_dsttime: Ty::Int }
    /// linux/time.h
    pub ITIMERSPEC = itimerspec { it_interval: Ty::Struct(&TIMESPEC), it_value: Ty::Struct(&TIMESPEC) }
    /// linux/time_types.h
    pub ITIMERSPEC64 = __kernel_itimerspec { it_interval: Ty::Struct(&TIMESPEC64), it_value: Ty::Struct(&TIMESPEC64) }
    /// linux/time.h
    pub ITIMERVAL = itimerval { it_interval: Ty::Struct(&TIMEVAL), it_value: Ty::Struct(&TIMEVAL) }
    /// times(2): linux/times.h
    pub TMS = tms { tms_utime: Ty::Ticks, tms_stime: Ty::Ticks, tms_cutime: Ty::Ticks, tms_cstime: Ty::Ticks }
    /// adjtimex(2): linux/timex.h
    pub TIMEX = timex {
        modes: Ty::Flags(&TIMEX_MODES), offset: Ty::Long, freq: Ty::Long, maxerror: Ty::Long, esterror: Ty::Long,
        status: Ty::Flags(&TIMEX_STATUS), constant: Ty::Long, precision: Ty::Long, tolerance: Ty::Long,
        time: Ty::Struct(&TIMEVAL), tick: Ty::Long, ppsfreq: Ty::Long, jitter: Ty::Long, shift: Ty::Int, stabil: Ty::Long,
        jitcnt: Ty::Long, calcnt: Ty::Long, errcnt: Ty::Long, stbcnt: Ty::Long, tai: Ty::Int
    }
    /// The time within [`TIMEX64`]
    pub TIMEX_TIMEVAL = __kernel_timespec { tv_sec: Ty::I64, tv_usec = "tv_nsec": Ty::U64 }
    /// clock_adjtime64(2): linux/timex.h
    pub TIMEX64 = __kernel_timex {
        modes: Ty::Flags(&TIMEX_MODES), offset: Ty::I64, freq: Ty::I64, maxerror: Ty::I64, esterror: Ty::I64,
        status: Ty::Flags(&TIMEX_STATUS), constant: Ty::I64, precision: Ty::I64, tolerance: Ty::I64,
        time: Ty::Struct(&TIMEX_TIMEVAL), tick: Ty::I64, ppsfreq: Ty::I64, jitter: Ty::I64, shift: Ty::Int, stabil: Ty::I64,
        jitcnt: Ty::I64, calcnt: Ty::I64, errcnt: Ty::I64, stbcnt: Ty::I64, tai: Ty::Int
    }
    /// timer_create(2), mq_notify(2): asm-generic/siginfo.h
    pub SIGEVENT = sigevent {
        sigev_value: Ty::Blob(0), sigev_signo: Ty::Signal, sigev_notify: Ty::Enum(&SIGEV),
        sigev_notify_thread_id = "_sigev_un._tid": Ty::Int,
        sigev_notify_function = "_sigev_un._sigev_thread._function": Ty::Addr,
        sigev_notify_attributes = "_sigev_un._sigev_thread._attribute": Ty::Addr
    }
}
