//! Clocks, sleeps and timers.

use crate::effect::{Effect, Facility, For, Thing, makes};
use crate::sets::time::*;
use crate::structs::time::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Irregular, Len, Note, Ret, Syscall, Ty, arg, syscall};

const NONE: Class = Class::NONE;
const CLOCK: Class = Class::CLOCK;
const DESC: Class = Class::DESC;

const SETS_CLOCK: Effect = Effect::Controls(Facility::Clock);

const SPEC_IN: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC));
const SPEC_OUT: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC));
const SPEC_LEFT: Ty = Ty::Custom(Irregular::Remaining, &Ty::Ptr(Dir::OutAlways, &Ty::Struct(&TIMESPEC)));
const SPEC64_IN: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC64));
const SPEC64_OUT: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC64));
const SPEC64_LEFT: Ty = Ty::Custom(Irregular::Remaining, &Ty::Ptr(Dir::OutAlways, &Ty::Struct(&TIMESPEC64)));
const ITSPEC_IN: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&ITIMERSPEC));
const ITSPEC_OUT: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&ITIMERSPEC));
const ITSPEC64_IN: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&ITIMERSPEC64));
const ITSPEC64_OUT: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&ITIMERSPEC64));

pub static ROWS: &[Syscall] = &[
    syscall("clock_gettime", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC_OUT)]).in_kernel(&[("clockid", "which_clock")])
        .does(&[Effect::Private, Effect::ReadsClock]),
    syscall("clock_settime", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC_IN)]).in_kernel(&[("clockid", "which_clock")])
        .does(&[SETS_CLOCK]),
    syscall("clock_getres", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC_OUT)]).in_kernel(&[("clockid", "which_clock")]),
    syscall("clock_gettime64", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC64_OUT)])
        .does(&[Effect::Private, Effect::ReadsClock]),
    syscall("clock_settime64", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC64_IN)]).does(&[SETS_CLOCK]),
    syscall("clock_getres_time64", CLOCK, Ret::Int, &[arg("clockid", Ty::ClockId), arg("tp", SPEC64_OUT)]),
    syscall("clock_adjtime", CLOCK, Ret::Int, &[
        arg("clockid", Ty::ClockId),
        arg("buf", Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMEX))),
    ]).in_kernel(&[("clockid", "which_clock"), ("buf", "utx")]).noted(Note::ClockState).does(&[SETS_CLOCK]),
    syscall("clock_adjtime64", CLOCK, Ret::Int, &[
        arg("clockid", Ty::ClockId),
        arg("buf", Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMEX64))),
    ]).noted(Note::ClockState).does(&[SETS_CLOCK]),
    syscall("adjtimex", CLOCK, Ret::Int, &[arg("buf", Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMEX)))]).in_kernel(&[("buf", "txc_p")])
        .noted(Note::ClockState).does(&[SETS_CLOCK]),
    syscall("clock_nanosleep", NONE, Ret::Int, &[
        arg("clockid", Ty::ClockId),
        arg("flags", Ty::Flags(&TIMER_FLAGS)),
        arg("request", SPEC_IN),
        arg("remain", SPEC_LEFT),
    ]).in_kernel(&[("clockid", "which_clock"), ("request", "rqtp"), ("remain", "rmtp")]).does(&[Effect::Waits(For::Time)]),
    syscall("clock_nanosleep_time64", NONE, Ret::Int, &[
        arg("clockid", Ty::ClockId),
        arg("flags", Ty::Flags(&TIMER_FLAGS)),
        arg("request", SPEC64_IN),
        arg("remain", SPEC64_LEFT),
    ]).does(&[Effect::Waits(For::Time)]),
    syscall("nanosleep", NONE, Ret::Int, &[arg("req", SPEC_IN), arg("rem", SPEC_LEFT)]).in_kernel(&[("req", "rqtp"), ("rem", "rmtp")])
        .does(&[Effect::Waits(For::Time)]),
    syscall("gettimeofday", CLOCK, Ret::Int, &[
        arg("tv", Ty::Ptr(Dir::Out, &Ty::Struct(&TIMEVAL))),
        arg("tz", Ty::Ptr(Dir::Out, &Ty::Struct(&TIMEZONE))),
    ]).does(&[Effect::Private, Effect::ReadsClock]),
    syscall("settimeofday", CLOCK, Ret::Int, &[
        arg("tv", Ty::Ptr(Dir::In, &Ty::Struct(&TIMEVAL))),
        arg("tz", Ty::Ptr(Dir::In, &Ty::Struct(&TIMEZONE))),
    ]).does(&[SETS_CLOCK]),
    syscall("time", CLOCK, Ret::Int, &[arg("tloc", Ty::Array(Dir::Out, &Ty::Custom(Irregular::Moment, &Ty::Long), Len::Fixed(1)))])
        .noted(Note::Moment)
        .does(&[Effect::Private, Effect::ReadsClock]),
    syscall("stime", CLOCK, Ret::Int, &[arg("tloc", Ty::Array(Dir::In, &Ty::Custom(Irregular::Moment, &Ty::Long), Len::Fixed(1)))])
        .does(&[SETS_CLOCK]),
    syscall("times", NONE, Ret::Size, &[arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&TMS)))]).in_kernel(&[("buf", "tbuf")]).does(&[Effect::Private]),
    syscall("alarm", NONE, Ret::Int, &[arg("seconds", Ty::UInt)]),
    syscall("getitimer", NONE, Ret::Int, &[
        arg("which", Ty::Enum(&ITIMERS)),
        arg("curr_value", Ty::Ptr(Dir::Out, &Ty::Struct(&ITIMERVAL))),
    ]).in_kernel(&[("curr_value", "value")]),
    syscall("setitimer", NONE, Ret::Int, &[
        arg("which", Ty::Enum(&ITIMERS)),
        arg("new_value", Ty::Ptr(Dir::In, &Ty::Struct(&ITIMERVAL))),
        arg("old_value", Ty::Ptr(Dir::Out, &Ty::Struct(&ITIMERVAL))),
    ]).in_kernel(&[("new_value", "value"), ("old_value", "ovalue")]),
    syscall("timer_create", NONE, Ret::Int, &[
        arg("clockid", Ty::ClockId),
        arg("sevp", Ty::Ptr(Dir::In, &Ty::Custom(Irregular::Sigevent, &Ty::Struct(&SIGEVENT)))),
        arg("timerid", Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1))),
    ]).in_kernel(&[("clockid", "which_clock"), ("sevp", "timer_event_spec"), ("timerid", "created_timer_id")]),
    syscall("timer_settime", NONE, Ret::Int, &[
        arg("timerid", Ty::Int),
        arg("flags", Ty::Flags(&TIMER_FLAGS)),
        arg("new_value", ITSPEC_IN),
        arg("old_value", ITSPEC_OUT),
    ]).in_kernel(&[("timerid", "timer_id"), ("new_value", "new_setting"), ("old_value", "old_setting")]),
    syscall("timer_settime64", NONE, Ret::Int, &[
        arg("timerid", Ty::Int),
        arg("flags", Ty::Flags(&TIMER_FLAGS)),
        arg("new_value", ITSPEC64_IN),
        arg("old_value", ITSPEC64_OUT),
    ]),
    syscall("timer_gettime", NONE, Ret::Int, &[arg("timerid", Ty::Int), arg("curr_value", ITSPEC_OUT)]).in_kernel(&[("timerid", "timer_id"), ("curr_value", "setting")]),
    syscall("timer_gettime64", NONE, Ret::Int, &[arg("timerid", Ty::Int), arg("curr_value", ITSPEC64_OUT)]),
    syscall("timer_getoverrun", NONE, Ret::Int, &[arg("timerid", Ty::Int)]).in_kernel(&[("timerid", "timer_id")]),
    syscall("timer_delete", NONE, Ret::Int, &[arg("timerid", Ty::Int)]).in_kernel(&[("timerid", "timer_id")]),
    syscall("timerfd_create", DESC, Ret::Fd, &[arg("clockid", Ty::ClockId), arg("flags", Ty::Flags(&TIMERFD))])
        .does(&[makes(Thing::Anonymous("timerfd")).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("timerfd_settime", DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("flags", Ty::Flags(&TIMERFD)),
        arg("new_value", ITSPEC_IN),
        arg("old_value", ITSPEC_OUT),
    ]).in_kernel(&[("fd", "ufd"), ("new_value", "utmr"), ("old_value", "otmr")]),
    syscall("timerfd_settime64", DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("flags", Ty::Flags(&TIMERFD)),
        arg("new_value", ITSPEC64_IN),
        arg("old_value", ITSPEC64_OUT),
    ]),
    syscall("timerfd_gettime", DESC, Ret::Int, &[arg("fd", Ty::Fd), arg("curr_value", ITSPEC_OUT)]).in_kernel(&[("fd", "ufd"), ("curr_value", "otmr")]),
    syscall("timerfd_gettime64", DESC, Ret::Int, &[arg("fd", Ty::Fd), arg("curr_value", ITSPEC64_OUT)]),
];

pub static I386: &[(&str, Syscall)] = &[];
