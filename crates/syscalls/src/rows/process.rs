//! Processes: creation, execution, end, identity.

use crate::effect::{Effect, Facility, For, Thing, makes};
use crate::sets::process::*;
use crate::structs::limits::RUSAGE;
use crate::structs::process::*;
use crate::structs::system::USER_DESC_32;
use crate::uapi::consts as c;
use crate::{Abi, Case, Class, Dir, Irregular, SelectKey, Len, Note, PidKind, Ret, Select, Syscall, Ty, When, Width, arg, syscall};

const DESC_PROCESS: Class = Class::DESC.or(Class::PROCESS);
const FILE_PROCESS: Class = Class::FILE.or(Class::PROCESS);

const ARGV: Ty = Ty::Array(Dir::In, &Ty::Str, Len::UntilZero);
const ENVP: Ty = Ty::Custom(Irregular::Environ, &ARGV);

/// A child's status and usage are there only if one was reaped.
const STATUS: Ty = Ty::Custom(Irregular::Reaped, &Ty::Array(Dir::Out, &Ty::Custom(Irregular::WaitStatus, &Ty::Int), Len::Fixed(1)));
const USAGE: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&RUSAGE));
const SIGINFO: Ty = Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::In, &Ty::Blob(128)));
const SIGINFO_OUT: Ty = Ty::Custom(Irregular::Siginfo, &Ty::Ptr(Dir::Out, &Ty::Blob(128)));

const TGID: Ty = Ty::Pid(PidKind::Tgid);

macro_rules! id {
    ($name:literal, $class:expr, $ret:ident $(, $arg:literal: $kind:ident)*) => {
        syscall($name, $class, Ret::Pid(PidKind::$ret), &[$(arg($arg, Ty::Pid(PidKind::$kind))),*])
    };
}

const CLONE_FLAGS: Ty = Ty::Custom(Irregular::CloneFlags, &Ty::HexLong);
const SETS_CHILD_TID: When = When::AnySet("flags", &[c::CLONE_CHILD_SETTID, c::CLONE_CHILD_CLEARTID]);
const SETS_TLS: When = When::AnySet("flags", &[c::CLONE_SETTLS]);
const SETS_PARENT_TID: When = When::OneOf("flags", c::CLONE_PIDFD | c::CLONE_PARENT_SETTID, &[
    c::CLONE_PARENT_SETTID,
    c::CLONE_PIDFD | c::CLONE_PARENT_SETTID,
]);
/// Without `CLONE_PARENT_SETTID` the register is where the pidfd goes.
const SETS_PIDFD: When = When::OneOf("flags", c::CLONE_PIDFD | c::CLONE_PARENT_SETTID, &[c::CLONE_PIDFD]);

const fn tls_register(abi: Abi) -> u8 {
    abi.facts().clone_tls
}

const fn child_register(abi: Abi) -> u8 {
    abi.facts().clone_child
}

/// clone(2), with the registers that hold the thread's TLS and its tid's address; their order is the ABI's.
macro_rules! clone {
    ($abi:expr, $tls_ty:expr) => {
        syscall("clone", Class::PROCESS, Ret::Pid(PidKind::Tid), &[
            arg("child_stack", Ty::Addr).at(1).named(),
            arg("flags", CLONE_FLAGS).at(0).named(),
            arg("parent_tid", Ty::Array(Dir::Out, &Ty::Pid(PidKind::Tid), Len::Fixed(1))).at(2).named().when(SETS_PARENT_TID),
            arg("parent_tid", Ty::Array(Dir::Out, &Ty::Fd, Len::Fixed(1))).at(2).named().when(SETS_PIDFD),
            arg("tls", $tls_ty).at(tls_register($abi)).named().when(SETS_TLS),
            arg("child_tidptr", Ty::Addr).at(child_register($abi)).named().when(SETS_CHILD_TID),
        ])
        .noted(Note::Namespaces("flags"))
        .does(&[Effect::Forks])
    };
}

const CLONE: Syscall = clone!(Abi::NATIVE, Ty::HexLong);

/// These kinds of resources have no index.
const INDEXED: When = When::NoneOf("type", 0xffff_ffff, &[
    c::KCMP_VM, c::KCMP_FILES, c::KCMP_FS, c::KCMP_SIGHAND, c::KCMP_IO, c::KCMP_SYSVSEM,
]);

const fn kcmp_index(cases: &'static [Case]) -> Select {
    Select { on: SelectKey::of("type"), cases, default: Ty::HexLong }
}

static KCMP_INDEX1: Select = kcmp_index(&[
    Case(c::KCMP_FILE, Ty::Custom(Irregular::FdOf("pid1"), &Ty::UInt)),
    Case(c::KCMP_EPOLL_TFD, Ty::Custom(Irregular::FdOf("pid1"), &Ty::UInt)),
]);
static KCMP_INDEX2: Select = kcmp_index(&[
    Case(c::KCMP_FILE, Ty::Custom(Irregular::FdOf("pid2"), &Ty::UInt)),
    Case(c::KCMP_EPOLL_TFD, Ty::Ptr(Dir::In, &Ty::Struct(&EPOLL_SLOT))),
]);

pub static ROWS: &[Syscall] = &[
    syscall("execve", FILE_PROCESS, Ret::Int, &[arg("pathname", Ty::Path), arg("argv", ARGV), arg("envp", ENVP)]).in_kernel(&[("pathname", "filename")])
        .does(&[Effect::Executes]),
    syscall("execveat", FILE_PROCESS.or(Class::DESC), Ret::Int, &[
        arg("dirfd", Ty::DirFd),
        arg("pathname", Ty::Path),
        arg("argv", ARGV),
        arg("envp", ENVP),
        arg("flags", Ty::Flags(&EXECVEAT)),
    ]).in_kernel(&[("dirfd", "fd"), ("pathname", "filename")]).does(&[Effect::Executes]),
    id!("fork", Class::PROCESS, Tgid).does(&[Effect::Forks]),
    id!("vfork", Class::PROCESS, Tgid).does(&[Effect::Forks]),
    CLONE,
    syscall("clone3", Class::PROCESS, Ret::Pid(PidKind::Tid), &[
        arg("cl_args", Ty::Extensible(Dir::In, &CLONE_ARGS, Len::Of("size"), 64)),
        arg("cl_args", Ty::Custom(Irregular::CloneReply, &Ty::Extensible(Dir::Out, &CLONE_REPLY, Len::Of("size"), 64))).at(0),
        arg("size", Ty::ULong).at(1),
    ]).in_kernel(&[("cl_args", "uargs")]).noted(Note::Namespaces("cl_args")).does(&[Effect::Forks]),
    syscall("exit", Class::PROCESS, Ret::Never, &[arg("status", Ty::Int)]).in_kernel(&[("status", "error_code")]).does(&[Effect::Exits]),
    syscall("exit_group", Class::PROCESS, Ret::Never, &[arg("status", Ty::Int)]).in_kernel(&[("status", "error_code")]).does(&[Effect::Exits]),
    syscall("wait4", Class::PROCESS, Ret::Pid(PidKind::Tgid), &[
        arg("pid", TGID),
        arg("status", STATUS),
        arg("options", Ty::Flags(&WAIT)),
        arg("usage", Ty::Custom(Irregular::Reaped, &USAGE)),
    ]).in_kernel(&[("pid", "upid"), ("status", "stat_addr"), ("usage", "ru")]).does(&[Effect::Waits(For::Child)]),
    syscall("waitid", Class::PROCESS, Ret::Int, &[
        arg("idtype", Ty::Enum(&WAIT_ID)),
        arg("id", Ty::Custom(Irregular::WaitId, &Ty::Int)),
        arg("siginfo", SIGINFO_OUT),
        arg("options", Ty::Flags(&WAIT)),
        arg("usage", USAGE),
    ]).in_kernel(&[("idtype", "which"), ("id", "upid"), ("siginfo", "infop"), ("usage", "ru")]).does(&[Effect::Waits(For::Child)]),
    id!("getpid", Class::PURE, Tgid).does(&[Effect::Private, Effect::AsksOfItself]),
    id!("getppid", Class::PURE, Tgid).does(&[Effect::AsksOfItself]),
    id!("gettid", Class::PURE, Tid).does(&[Effect::Private, Effect::AsksOfItself]),
    id!("getpgrp", Class::PURE, Pgid).does(&[Effect::AsksOfItself]),
    id!("getpgid", Class::NONE, Pgid, "pid": Tgid).does(&[Effect::AsksOfItself]),
    syscall("setpgid", Class::NONE, Ret::Int, &[arg("pid", TGID), arg("pgid", Ty::Pid(PidKind::Pgid))]),
    id!("getsid", Class::NONE, Sid, "pid": Tgid).does(&[Effect::AsksOfItself]),
    id!("setsid", Class::NONE, Sid),
    syscall("set_tid_address", Class::NONE, Ret::Pid(PidKind::Tid), &[arg("tidptr", Ty::Addr)]).does(&[Effect::SetsClearedWord]),
    syscall("kcmp", Class::NONE, Ret::Int, &[
        arg("pid1", TGID),
        arg("pid2", TGID),
        arg("type", Ty::Enum(&KCMP)),
        arg("idx1", Ty::Select(&KCMP_INDEX1)).when(INDEXED),
        arg("idx2", Ty::Select(&KCMP_INDEX2)).when(INDEXED),
    ]).may_need(&[c::CAP_SYS_PTRACE, c::CAP_CHECKPOINT_RESTORE]),
    syscall("setns", Class::DESC, Ret::Int, &[arg("fd", Ty::Fd), arg("nstype", Ty::Flags(&NAMESPACE))]).in_kernel(&[("nstype", "flags")])
        .noted(Note::Namespaces("nstype"))
        .does(&[Effect::Controls(Facility::Namespaces)]).may_need(&[c::CAP_SYS_ADMIN, c::CAP_SYS_CHROOT]),
    syscall("unshare", Class::PROCESS, Ret::Int, &[arg("flags", Ty::As(Width::Word, &Ty::Flags(&UNSHARE)))]).in_kernel(&[("flags", "unshare_flags")])
        .noted(Note::Namespaces("flags"))
        .does(&[Effect::Unshares, Effect::Controls(Facility::Namespaces)]),
    syscall("pidfd_open", Class::DESC, Ret::Fd, &[arg("pid", TGID), arg("flags", Ty::Flags(&PIDFD_OPEN))])
        .does(&[makes(Thing::Anonymous("pidfd")).cloexec()]),
    syscall("pidfd_getfd", Class::DESC, Ret::Fd, &[
        arg("pidfd", Ty::Fd),
        arg("targetfd", Ty::Custom(Irregular::FdOfPidfd("pidfd"), &Ty::Int)),
        arg("flags", Ty::Hex),
    ]).in_kernel(&[("targetfd", "fd")]).does(&[makes(Thing::Passed).cloexec(), Effect::PassesDescriptors]).may_need(&[c::CAP_SYS_PTRACE]),
    syscall("pidfd_send_signal", Class::DESC.or(Class::SIGNAL).or(Class::PROCESS), Ret::Int, &[
        arg("pidfd", Ty::Fd),
        arg("signum", Ty::Signal),
        arg("info", SIGINFO),
        arg("flags", Ty::Flags(&PIDFD_SIGNAL)),
    ]).in_kernel(&[("signum", "sig")])
    .does(&[Effect::SendsSignal]),
    syscall("process_mrelease", DESC_PROCESS, Ret::Int, &[arg("pidfd", Ty::Fd), arg("flags", Ty::Hex)]).may_need(&[c::CAP_SYS_PTRACE]),
];

pub static I386: &[(&str, Syscall)] = &[
    ("clone", clone!(Abi::I386, Ty::Ptr(Dir::In, &Ty::Struct(&USER_DESC_32)))),
    ("waitpid", syscall("waitpid", Class::PROCESS, Ret::Pid(PidKind::Tgid), &[
        arg("pid", TGID),
        arg("status", STATUS),
        arg("options", Ty::Flags(&WAIT)),
    ]).does(&[Effect::Waits(For::Child)])),
];
