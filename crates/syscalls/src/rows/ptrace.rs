//! ptrace(2): what its arguments are follows from the operation.

use crate::sets::ptrace::*;
use crate::structs::ptrace::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Form, Irregular, SelectKey, Len, PidKind, Ret, Syscall, Ty, Width, arg, form, syscall};

const PID: crate::Arg = arg("pid", Ty::Pid(PidKind::Tid));

static OPERATION: Ty = Ty::Enum(&PTRACE);
const OP: crate::Arg = arg("op", Ty::As(Width::Word, &OPERATION));

/// Operations at the left; the arguments after the pid.
macro_rules! ptrace {
    ($($op:ident)|+; $($name:literal: $ty:expr),*) => {
        form(&[$(c::$op),+], syscall("ptrace", Class::NONE, Ret::Int, &[OP, PID, $(arg($name, $ty)),*]))
    };
}

const USER_OFFSET: Ty = Ty::Custom(Irregular::UserOffset, &Ty::HexLong);
/// The word the kernel reads; libc's ptrace() returns it instead.
const PEEKED: Ty = Ty::Array(Dir::Out, &Ty::Addr, Len::Fixed(1));
const REGSET_KIND: Ty = Ty::Enum(&REGSET);
const METADATA: Ty = Ty::Custom(Irregular::SeccompMetadata, &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&SECCOMP_METADATA)));

const fn siginfo(dir: Dir) -> Ty {
    match dir {
        Dir::In => Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::In, &Ty::Blob(128))),
        _ => Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::Out, &Ty::Blob(128))),
    }
}

/// All registers of a kind, where the last argument says.
macro_rules! registers {
    ($dir:ident, $regs:ident) => {
        syscall("ptrace", Class::NONE, Ret::Int, &[
            OP, PID, arg("addr", Ty::Ptr(Dir::$dir, &Ty::Struct(&$regs))).at(3),
        ])
    };
}

/// The forms that all ABIs share, given the structs of general registers.
macro_rules! forms {
    ($regs:ident) => {
        &[
            form(&[c::PTRACE_TRACEME], syscall("ptrace", Class::NONE, Ret::Int, &[OP])),
            ptrace!(PTRACE_ATTACH | PTRACE_KILL | PTRACE_INTERRUPT | PTRACE_LISTEN;),
            ptrace!(PTRACE_PEEKTEXT | PTRACE_PEEKDATA; "addr": Ty::Addr, "data": PEEKED),
            ptrace!(PTRACE_PEEKUSR; "addr": USER_OFFSET, "data": PEEKED),
            ptrace!(PTRACE_POKETEXT | PTRACE_POKEDATA; "addr": Ty::Addr, "data": Ty::Addr),
            ptrace!(PTRACE_POKEUSR; "addr": USER_OFFSET, "data": Ty::Addr),
            ptrace!(PTRACE_CONT | PTRACE_SINGLESTEP | PTRACE_SINGLEBLOCK | PTRACE_SYSCALL | PTRACE_SYSEMU
                | PTRACE_SYSEMU_SINGLESTEP | PTRACE_DETACH; "addr": Ty::Addr, "data": Ty::Signal),
            ptrace!(PTRACE_SETOPTIONS | PTRACE_OLDSETOPTIONS | PTRACE_SEIZE;
                "addr": Ty::Addr, "data": Ty::As(Width::Word, &Ty::Flags(&PTRACE_OPTIONS))),
            ptrace!(PTRACE_GETEVENTMSG; "addr": Ty::Addr, "data": Ty::Array(Dir::Out, &Ty::ULong, Len::Fixed(1))),
            ptrace!(PTRACE_GETSIGINFO; "addr": Ty::Addr, "data": siginfo(Dir::Out)),
            ptrace!(PTRACE_SETSIGINFO; "addr": Ty::Addr, "data": siginfo(Dir::In)),
            ptrace!(PTRACE_PEEKSIGINFO;
                "addr": Ty::Ptr(Dir::In, &Ty::Struct(&PEEKSIGINFO_ARGS)),
                "data": Ty::Array(Dir::Out, &Ty::Custom(Irregular::Siginfo, &Ty::Blob(128)), Len::Ret)),
            ptrace!(PTRACE_GETSIGMASK; "addr": Ty::ULong, "data": Ty::SigSet(Dir::Out, Len::Of("addr"))),
            ptrace!(PTRACE_SETSIGMASK; "addr": Ty::ULong, "data": Ty::SigSet(Dir::In, Len::Of("addr"))),
            ptrace!(PTRACE_SECCOMP_GET_FILTER;
                "addr": Ty::ULong,
                "data": Ty::Custom(Irregular::SeccompInstructions, &Ty::Buffer(Dir::Out, Len::Ret, 8 * 4096))),
            ptrace!(PTRACE_SECCOMP_GET_METADATA; "addr": Ty::ULong, "data": METADATA),
            ptrace!(PTRACE_GET_SYSCALL_INFO;
                "addr": Ty::ULong, "data": Ty::Custom(Irregular::SyscallInfo, &Ty::Buffer(Dir::Out, Len::Ret, 88))),
            ptrace!(PTRACE_SET_SYSCALL_INFO;
                "addr": Ty::ULong, "data": Ty::Custom(Irregular::SyscallInfo, &Ty::Buffer(Dir::In, Len::Of("addr"), 88))),
            ptrace!(PTRACE_GETREGSET;
                "addr": REGSET_KIND,
                "data": Ty::Custom(Irregular::RegsetOut, &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&REGSET_OUT)))),
            ptrace!(PTRACE_SETREGSET;
                "addr": REGSET_KIND,
                "data": Ty::Custom(Irregular::RegsetIn, &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&REGSET_IN)))),
            form(&[c::PTRACE_GETREGS], registers!(Out, $regs)),
            form(&[c::PTRACE_SETREGS], registers!(In, $regs)),
            form(&[c::PTRACE_GETFPREGS], registers!(Out, FPREGS)),
            form(&[c::PTRACE_SETFPREGS], registers!(In, FPREGS)),
        ]
    };
}

static FORMS: &[Form] = forms!(REGS);
static FORMS_32: &[Form] = forms!(REGS_32);

macro_rules! row {
    ($forms:ident) => {
        syscall("ptrace", Class::NONE, Ret::Int, &[
            OP, PID, arg("addr", Ty::Addr), arg("data", Ty::Addr),
        ])
        .by(SelectKey::masked("op", !0), $forms)
        .does(&[Effect::TracesProcess]).may_need(&[c::CAP_SYS_PTRACE, c::CAP_SYS_ADMIN, c::CAP_CHECKPOINT_RESTORE])
    };
}

pub static ROWS: &[Syscall] = &[row!(FORMS)];

pub static I386: &[(&str, Syscall)] = &[("ptrace", row!(FORMS_32))];
