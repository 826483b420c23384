//! Numbers that have no call any more, or never had one: the registers are shown.

use crate::uapi::consts as c;
use crate::{Arg, Class, Ret, Syscall, Ty, arg, syscall};

const REGISTERS: &[Arg] = &[
    arg("arg1", Ty::HexLong), arg("arg2", Ty::HexLong), arg("arg3", Ty::HexLong), arg("arg4", Ty::HexLong),
    arg("arg5", Ty::HexLong), arg("arg6", Ty::HexLong),
];

/// A call whose arguments' names do not matter. History decides how many there are.
const fn unused(name: &'static str, args: usize) -> Syscall {
    syscall(name, Class::NONE, Ret::Int, REGISTERS.split_at(args).0)
}

pub static ROWS: &[Syscall] = &[
    unused("create_module", 2),
    unused("get_kernel_syms", 1),
    unused("query_module", 5),
    unused("getpmsg", 5),
    unused("putpmsg", 5),
    unused("afs_syscall", 5),
    unused("tuxcall", 3),
    unused("security", 3),
    unused("vserver", 5),
    unused("epoll_ctl_old", 4),
    unused("epoll_wait_old", 4),
    unused("sysfs", 3).in_kernel(&[("arg1", "option"), ("arg2", "arg1"), ("arg3", "arg2")]),
    unused("break", 0),
    unused("stty", 2),
    unused("gtty", 2),
    unused("ftime", 0),
    unused("prof", 0),
    unused("lock", 0),
    unused("mpx", 0),
    unused("ulimit", 2),
    unused("profil", 4),
    unused("idle", 0),
    unused("bdflush", 2),
    unused("oldolduname", 1),
    unused("olduname", 1),
    unused("vm86old", 1),
    unused("vm86", 5),
];

pub static I386: &[(&str, Syscall)] = &[
    // The single call that all of i386's socket calls once were.
    ("socketcall", syscall("socketcall", Class::NETWORK, Ret::Int, &[arg("call", Ty::Int), arg("args", Ty::Addr)]).may_need(&[c::CAP_NET_ADMIN, c::CAP_NET_RAW, c::CAP_NET_BIND_SERVICE, c::CAP_NET_BROADCAST, c::CAP_SYS_ADMIN, c::CAP_SETUID, c::CAP_SETGID])),
];
