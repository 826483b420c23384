//! Signals: dispositions, masks, sending, waiting.

use crate::effect::{Effect, For, Thing, makes};
use crate::sets::signal::*;
use crate::structs::signal::*;
use crate::structs::time::{TIMESPEC, TIMESPEC64};
use crate::uapi::consts as c;
use crate::{Class, Dir, Irregular, Len, Note, PidKind, Ret, Syscall, Ty, arg, syscall};

const SIG: Class = Class::SIGNAL;
/// Sending a signal concerns processes too.
const SEND: Class = Class::SIGNAL.or(Class::PROCESS);
const SIZE: Len = Len::Of("sigsetsize");
/// A set as i386's first calls have it: one word.
const WORD: Len = Len::Fixed(4);
const PID: Ty = Ty::Pid(PidKind::Tgid);
const SIGINFO_IN: Ty = Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::In, &Ty::Blob(128)));
const SIGINFO_OUT: Ty = Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::Out, &Ty::Blob(128)));
const MASK: Ty = Ty::Custom(Irregular::SigMask, &Ty::HexLong);


pub static ROWS: &[Syscall] = &[
    syscall("rt_sigaction", SIG, Ret::Int, &[
        arg("signum", Ty::Signal),
        arg("act", Ty::Ptr(Dir::In, &Ty::Struct(&SIGACTION_RT))),
        arg("oldact", Ty::Ptr(Dir::Out, &Ty::Struct(&SIGACTION_RT))),
        arg("sigsetsize", Ty::ULong),
    ]).in_kernel(&[("signum", "sig"), ("oldact", "oact")]).does(&[Effect::Private, Effect::SetsDisposition]),
    syscall("rt_sigprocmask", SIG, Ret::Int, &[
        arg("how", Ty::Enum(&HOW)),
        arg("set", Ty::SigSet(Dir::In, SIZE)),
        arg("oldset", Ty::SigSet(Dir::Out, SIZE)),
        arg("sigsetsize", Ty::ULong),
    ]).in_kernel(&[("set", "nset"), ("oldset", "oset")]).does(&[Effect::Private]),
    syscall("rt_sigreturn", SIG, Ret::Int, &[arg("sigmask", Ty::Custom(Irregular::SigFrame, &Ty::Stack(&Ty::Blob(FRAME))))])
        .does(&[Effect::ReturnsFromSignal]),
    syscall("rt_sigsuspend", SIG, Ret::Int, &[arg("set", Ty::SigSet(Dir::In, SIZE)), arg("sigsetsize", Ty::ULong)]).in_kernel(&[("set", "unewset")])
        .does(&[Effect::Waits(For::Signal)]),
    syscall("rt_sigpending", SIG, Ret::Int, &[arg("set", Ty::Custom(Irregular::PendingSignals, &Ty::SigSet(Dir::Out, SIZE))), arg("sigsetsize", Ty::ULong)]).in_kernel(&[("set", "uset")]),
    syscall("rt_sigtimedwait", SIG, Ret::Int, &[
        arg("set", Ty::SigSet(Dir::In, SIZE)),
        arg("info", SIGINFO_OUT),
        arg("timeout", Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC))),
        arg("sigsetsize", Ty::ULong),
    ]).in_kernel(&[("set", "uthese"), ("info", "uinfo"), ("timeout", "uts")]).noted(Note::Signal).does(&[Effect::Waits(For::Signal)]),
    syscall("rt_sigtimedwait_time64", SIG, Ret::Int, &[
        arg("set", Ty::SigSet(Dir::In, SIZE)),
        arg("info", SIGINFO_OUT),
        arg("timeout", Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC64))),
        arg("sigsetsize", Ty::ULong),
    ]).noted(Note::Signal).does(&[Effect::Waits(For::Signal)]),
    syscall("rt_sigqueueinfo", SEND, Ret::Int, &[arg("tgid", PID), arg("signum", Ty::Signal), arg("info", SIGINFO_IN)]).in_kernel(&[("tgid", "pid"), ("signum", "sig"), ("info", "uinfo")])
        .does(&[Effect::SendsSignal]),
    syscall("rt_tgsigqueueinfo", SEND, Ret::Int, &[
        arg("tgid", PID),
        arg("tid", Ty::Pid(PidKind::Tid)),
        arg("signum", Ty::Signal),
        arg("info", SIGINFO_IN),
    ]).in_kernel(&[("tid", "pid"), ("signum", "sig"), ("info", "uinfo")])
    .does(&[Effect::SendsSignal]),
    syscall("sigaltstack", SIG, Ret::Int, &[
        arg("ss", Ty::Ptr(Dir::In, &Ty::Struct(&STACK))),
        arg("old_ss", Ty::Ptr(Dir::Out, &Ty::Struct(&STACK))),
    ]).in_kernel(&[("ss", "uss"), ("old_ss", "uoss")]),
    syscall("kill", SEND, Ret::Int, &[arg("pid", PID), arg("signum", Ty::Signal)]).in_kernel(&[("signum", "sig")]).does(&[Effect::SendsSignal]),
    syscall("tkill", SEND, Ret::Int, &[arg("tid", Ty::Pid(PidKind::Tid)), arg("signum", Ty::Signal)]).in_kernel(&[("tid", "pid"), ("signum", "sig")])
        .does(&[Effect::SendsSignal]),
    syscall("tgkill", SEND, Ret::Int, &[
        arg("tgid", PID),
        arg("tid", Ty::Pid(PidKind::Tid)),
        arg("signum", Ty::Signal),
    ]).in_kernel(&[("tid", "pid"), ("signum", "sig")])
    .does(&[Effect::SendsSignal]),
    syscall("signalfd", Class::DESC.or(SIG), Ret::Fd, &[
        arg("fd", Ty::Fd),
        arg("mask", Ty::SigSet(Dir::In, Len::Of("sizemask"))),
        arg("sizemask", Ty::ULong),
    ]).in_kernel(&[("fd", "ufd"), ("mask", "user_mask")]).does(&[makes(Thing::Anonymous("signalfd"))]),
    syscall("signalfd4", Class::DESC.or(SIG), Ret::Fd, &[
        arg("fd", Ty::Fd),
        arg("mask", Ty::SigSet(Dir::In, Len::Of("sizemask"))),
        arg("sizemask", Ty::ULong),
        arg("flags", Ty::Flags(&SIGNALFD)),
    ]).in_kernel(&[("fd", "ufd"), ("mask", "user_mask")]).does(&[makes(Thing::Anonymous("signalfd")).cloexec_if("flags", c::O_CLOEXEC)]),
    // The call that it resumes is no argument, but known to the engine.
    syscall("restart_syscall", Class::NONE, Ret::Int, &[arg("", Ty::Custom(Irregular::Resumed, &Ty::HexLong))])
        .does(&[Effect::Restarts]),
    syscall("pause", SIG, Ret::Int, &[]).does(&[Effect::Waits(For::Signal)]),
    // Calls that only i386 has.
    syscall("signal", SIG, Ret::Hex, &[
        arg("signum", Ty::Signal),
        arg("handler", Ty::Custom(Irregular::Handler, &Ty::Addr)),
    ]).noted(Note::Disposition).does(&[Effect::Private, Effect::SetsDisposition]),
    syscall("sigaction", SIG, Ret::Int, &[
        arg("signum", Ty::Signal),
        arg("act", Ty::Ptr(Dir::In, &Ty::Struct(&SIGACTION_OLD))),
        arg("oldact", Ty::Ptr(Dir::Out, &Ty::Struct(&SIGACTION_OLD))),
    ]).does(&[Effect::Private, Effect::SetsDisposition]),
    syscall("sigprocmask", SIG, Ret::Int, &[
        arg("how", Ty::Enum(&HOW)),
        arg("set", Ty::SigSet(Dir::In, WORD)),
        arg("oldset", Ty::SigSet(Dir::Out, WORD)),
    ]).does(&[Effect::Private]),
    syscall("sigpending", SIG, Ret::Int, &[arg("set", Ty::SigSet(Dir::Out, WORD))]),
    // The first two arguments are not used.
    syscall("sigsuspend", SIG, Ret::Int, &[
        arg("history0", Ty::HexLong).when(crate::When::Never),
        arg("history1", Ty::HexLong).when(crate::When::Never),
        arg("mask", MASK),
    ]).does(&[Effect::Waits(For::Signal)]),
    syscall("sigreturn", SIG, Ret::Int, &[arg("sigmask", Ty::Custom(Irregular::OldSigFrame, &Ty::Stack(&Ty::Blob(OLD_FRAME))))])
        .does(&[Effect::ReturnsFromSignal]),
    syscall("sgetmask", SIG, Ret::Hex, &[]).noted(Note::Mask),
    syscall("ssetmask", SIG, Ret::Hex, &[arg("newmask", MASK)]).noted(Note::OldMask),
];

pub static I386: &[(&str, Syscall)] = &[];
