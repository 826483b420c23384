//! bpf(2), perf_event_open(2).

use crate::sets::bpf::COMMAND;
use crate::sets::perf::OPEN;
use crate::{Class, Dir, Irregular, Len, PidKind, Ret, Syscall, Ty, Width, arg, syscall};

pub static ROWS: &[Syscall] = &[
    syscall("bpf", Class::DESC, Ret::Int, &[
        arg("cmd", Ty::Enum(&COMMAND)),
        arg("attr", Ty::Addr),
        arg("size", Ty::UInt),
    ]),
    syscall("perf_event_open", Class::DESC, Ret::Fd, &[
        arg("attr", Ty::Custom(Irregular::PerfAttr, &Ty::Buffer(Dir::InOutAlways, Len::Fixed(144), 144))),
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("cpu", Ty::Int),
        arg("group_fd", Ty::Fd),
        arg("flags", Ty::As(Width::Word, &Ty::Flags(&OPEN))),
    ]),
];

pub static I386: &[(&str, Syscall)] = &[];
