//! Waiting for descriptors: poll(2), select(2), epoll(7).

use crate::effect::{Effect, For, Thing, makes};
use crate::sets::poll::*;
use crate::structs::time::{TIMESPEC, TIMESPEC64, TIMEVAL};
use crate::structs::poll::*;
use crate::uapi::consts as c;
use crate::{Arg, Case, Class, Dir, Irregular, SelectKey, Len, Note, Ret, Select, Syscall, Ty, Unit, arg, syscall};

const DESC: Class = Class::DESC;

const POLLFDS: Ty = Ty::Custom(Irregular::PollFds, &Ty::Table(Dir::InOut, &Ty::Struct(&POLLFD), Len::Of("nfds"), 8 << 10));
const FDS: Arg = arg("fds", POLLFDS);
const NFDS: Arg = arg("nfds", Ty::UInt);
/// Behind what the kernel fills in, arguments are followed only after success.
const SIGMASK_LATE: Arg = arg("sigmask", Ty::SigSet(Dir::Out, Len::Of("sigsetsize")));
const SIGMASK: Arg = arg("sigmask", Ty::SigSet(Dir::In, Len::Of("sigsetsize")));

/// As many bytes as hold `nfds` bits. No process has more descriptors than the limit.
const FD_SET: Ty = Ty::Custom(
    Irregular::FdSet,
    &Ty::Buffer(Dir::InOut, Len::Units { of: "nfds", less: 0, unit: Unit::ByteBits }, 8 << 10),
);
const READ: Arg = arg("readfds", FD_SET);
const WRITE: Arg = arg("writefds", FD_SET);
const EXCEPT: Arg = arg("exceptfds", FD_SET);

/// The kernel writes back the remaining time.
const TIMESPEC_LEFT: Ty = Ty::Custom(Irregular::Timeout, &Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMESPEC)));
const TIMESPEC64_LEFT: Ty = Ty::Custom(Irregular::Timeout, &Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMESPEC64)));
const TIMEVAL_LEFT: Ty = Ty::Custom(Irregular::Timeout, &Ty::Ptr(Dir::InOut, &Ty::Struct(&TIMEVAL)));

const HAPPENED: Ty = Ty::Array(Dir::Out, &Ty::Struct(&EPOLL_EVENT), Len::Ret);
const EVENTS: Arg = arg("events", HAPPENED);

/// `EPOLL_CTL_DEL` ignores the event.
static CTL_EVENT: Select = Select {
    on: SelectKey::of("op"),
    cases: &[Case(c::EPOLL_CTL_DEL, Ty::Addr)],
    default: Ty::Ptr(Dir::In, &Ty::Struct(&EPOLL_EVENT)),
};

const MASK: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&PSELECT_MASK));

pub static ROWS: &[Syscall] = &[
    syscall("poll", DESC, Ret::Int, &[FDS, NFDS, arg("timeout", Ty::Int)]).in_kernel(&[("fds", "ufds"), ("timeout", "timeout_msecs")])
        .noted(Note::Ready).does(&[Effect::Waits(For::Readiness)]),
    syscall("ppoll", DESC, Ret::Int, &[FDS, NFDS, arg("tmo_p", TIMESPEC_LEFT), SIGMASK, arg("sigsetsize", Ty::ULong)]).in_kernel(&[("fds", "ufds"), ("tmo_p", "tsp")])
        .noted(Note::Ready)
        .does(&[Effect::Waits(For::Readiness)]),
    syscall("ppoll_time64", DESC, Ret::Int, &[
        FDS,
        NFDS,
        arg("tmo_p", TIMESPEC64_LEFT),
        SIGMASK,
        arg("sigsetsize", Ty::ULong),
    ]).noted(Note::Ready).does(&[Effect::Waits(For::Readiness)]),
    syscall("select", DESC, Ret::Int, &[arg("nfds", Ty::Int), READ, WRITE, EXCEPT, arg("timeout", TIMEVAL_LEFT)]).in_kernel(&[("nfds", "n"), ("readfds", "inp"), ("writefds", "outp"), ("exceptfds", "exp"), ("timeout", "tvp")])
        .noted(Note::ReadySets)
        .does(&[Effect::Waits(For::Readiness)]),
    syscall("_newselect", DESC, Ret::Int, &[arg("nfds", Ty::Int), READ, WRITE, EXCEPT, arg("timeout", TIMEVAL_LEFT)])
        .noted(Note::ReadySets)
        .does(&[Effect::Waits(For::Readiness)]),
    syscall("pselect6", DESC, Ret::Int, &[
        arg("nfds", Ty::Int),
        READ,
        WRITE,
        EXCEPT,
        arg("timeout", TIMESPEC_LEFT),
        arg("sig", MASK),
    ]).in_kernel(&[("nfds", "n"), ("readfds", "inp"), ("writefds", "outp"), ("exceptfds", "exp"), ("timeout", "tsp")]).noted(Note::ReadySets).does(&[Effect::Waits(For::Readiness)]),
    syscall("pselect6_time64", DESC, Ret::Int, &[
        arg("nfds", Ty::Int),
        READ,
        WRITE,
        EXCEPT,
        arg("timeout", TIMESPEC64_LEFT),
        arg("sig", MASK),
    ]).noted(Note::ReadySets).does(&[Effect::Waits(For::Readiness)]),
    syscall("epoll_create", DESC, Ret::Fd, &[arg("size", Ty::Int)]).does(&[makes(Thing::Anonymous("epoll"))]),
    syscall("epoll_create1", DESC, Ret::Fd, &[arg("flags", Ty::Flags(&EPOLL_FLAGS))])
        .does(&[makes(Thing::Anonymous("epoll")).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("epoll_ctl", DESC, Ret::Int, &[
        arg("epfd", Ty::Fd),
        arg("op", Ty::Enum(&EPOLL_CTL)),
        arg("fd", Ty::Fd),
        arg("event", Ty::Select(&CTL_EVENT)),
    ])
    .does(&[Effect::Watches]),
    syscall("epoll_wait", DESC, Ret::Int, &[
        arg("epfd", Ty::Fd),
        EVENTS,
        arg("maxevents", Ty::Int),
        arg("timeout", Ty::Int),
    ]).does(&[Effect::Waits(For::Readiness)]),
    syscall("epoll_pwait", DESC, Ret::Int, &[
        arg("epfd", Ty::Fd),
        EVENTS,
        arg("maxevents", Ty::Int),
        arg("timeout", Ty::Int),
        SIGMASK_LATE,
        arg("sigsetsize", Ty::ULong),
    ]).does(&[Effect::Waits(For::Readiness)]),
    syscall("epoll_pwait2", DESC, Ret::Int, &[
        arg("epfd", Ty::Fd),
        EVENTS,
        arg("maxevents", Ty::Int),
        arg("timeout", Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC64))),
        SIGMASK_LATE,
        arg("sigsetsize", Ty::ULong),
    ]).does(&[Effect::Waits(For::Readiness)]),
];

pub static I386: &[(&str, Syscall)] = &[
    // The first select has its arguments in memory, and here they could not be read.
    ("select", syscall("select", DESC, Ret::Int, &[arg("arg", Ty::Addr)])
        .does(&[Effect::Waits(For::Readiness)])),
];
