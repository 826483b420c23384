//! bpf(2), perf_event_open(2).

use crate::effect::{Thing, makes};
use crate::sets::bpf::COMMAND;
use crate::sets::perf::OPEN;
use crate::structs::bpf::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Form, Irregular, SelectKey, Len, PidKind, Ret, Syscall, Ty, Width, arg, form, syscall};

/// Commands, what they return, their struct within the union (empty: the union itself), its members, and how many
/// bytes are shown even if the program gives a smaller size.
///
/// `answered` stands behind a command of which the kernel also fills in members, perhaps although it fails.
macro_rules! bpf {
    ($($cmd:ident)|+ -> $ret:expr; $within:literal $attr:ident $base:literal) => {
        form(&[$(c::$cmd),+], bpf!(@row $ret; $within $attr $base))
    };
    ($($cmd:ident)|+ -> $ret:expr; $within:literal $attr:ident $base:literal answered) => {
        form(&[$(c::$cmd),+], bpf!(@row $ret; $within $attr $base InOutAlways))
    };
    ([$number:literal] -> $ret:expr; $within:literal $attr:ident $base:literal) => {
        form(&[$number], bpf!(@row $ret; $within $attr $base))
    };
    (@row $ret:expr; $within:literal $attr:ident $base:literal) => {
        bpf!(@row $ret; $within $attr $base In)
    };
    (@row $ret:expr; $within:literal $attr:ident $base:literal $dir:ident) => {
        syscall("bpf", Class::DESC, $ret, &[
            arg("cmd", Ty::Enum(&COMMAND)),
            arg("attr", Ty::Custom(Irregular::BpfAttr($within, $base), &Ty::Extensible(Dir::$dir, &$attr, Len::Of("size"), 0))),
            arg("size", Ty::UInt),
        ])
    };
}

static FORMS: &[Form] = &[
    bpf!(BPF_MAP_CREATE -> Ret::Fd; "" MAP_CREATE 16),
    bpf!(BPF_MAP_LOOKUP_ELEM | BPF_MAP_LOOKUP_AND_DELETE_ELEM -> Ret::Int; "" MAP_LOOKUP 24),
    bpf!(BPF_MAP_UPDATE_ELEM -> Ret::Int; "" MAP_UPDATE 32),
    bpf!(BPF_MAP_DELETE_ELEM -> Ret::Int; "" MAP_DELETE 16),
    bpf!(BPF_MAP_GET_NEXT_KEY -> Ret::Int; "" MAP_NEXT_KEY 24),
    bpf!(BPF_MAP_FREEZE -> Ret::Int; "" MAP_FREEZE 4),
    bpf!(BPF_MAP_LOOKUP_BATCH | BPF_MAP_LOOKUP_AND_DELETE_BATCH -> Ret::Int; "batch" BATCH_LOOKUP 56 answered),
    bpf!(BPF_MAP_UPDATE_BATCH -> Ret::Int; "batch" BATCH_UPDATE 56 answered),
    bpf!(BPF_MAP_DELETE_BATCH -> Ret::Int; "batch" BATCH_DELETE 56 answered),
    bpf!(BPF_PROG_LOAD -> Ret::Fd; "" PROG_LOAD 24 answered),
    bpf!(BPF_OBJ_PIN -> Ret::Int; "" OBJ 12),
    bpf!(BPF_OBJ_GET -> Ret::Fd; "" OBJ 12),
    bpf!(BPF_PROG_ATTACH | BPF_PROG_DETACH -> Ret::Int; "" PROG_ATTACH 16),
    bpf!(BPF_PROG_TEST_RUN -> Ret::Int; "test" TEST_RUN 40 answered),
    bpf!(BPF_PROG_GET_NEXT_ID | BPF_MAP_GET_NEXT_ID | BPF_BTF_GET_NEXT_ID | BPF_LINK_GET_NEXT_ID -> Ret::Int; "" NEXT_ID 8 answered),
    bpf!(BPF_PROG_GET_FD_BY_ID -> Ret::Fd; "" PROG_BY_ID 4),
    bpf!(BPF_MAP_GET_FD_BY_ID -> Ret::Fd; "" MAP_BY_ID 4),
    bpf!(BPF_BTF_GET_FD_BY_ID -> Ret::Fd; "" BTF_BY_ID 4),
    bpf!(BPF_LINK_GET_FD_BY_ID -> Ret::Fd; "" LINK_BY_ID 4),
    form(&[c::BPF_OBJ_GET_INFO_BY_FD], bpf!(@row Ret::Int; "info" INFO 16 InOut)),
    bpf!(BPF_PROG_QUERY -> Ret::Int; "query" QUERY 28 answered),
    bpf!(BPF_RAW_TRACEPOINT_OPEN -> Ret::Fd; "raw_tracepoint" RAW_TRACEPOINT 12),
    bpf!(BPF_BTF_LOAD -> Ret::Fd; "" BTF_LOAD 28 answered),
    bpf!(BPF_TASK_FD_QUERY -> Ret::Int; "task_fd_query" TASK_FD 48 answered),
    bpf!(BPF_LINK_CREATE -> Ret::Fd; "link_create" LINK_CREATE 16),
    bpf!(BPF_LINK_UPDATE -> Ret::Int; "link_update" LINK_UPDATE 16),
    bpf!(BPF_LINK_DETACH -> Ret::Int; "link_detach" LINK_DETACH 4),
    bpf!(BPF_ENABLE_STATS -> Ret::Fd; "enable_stats" ENABLE_STATS 4),
    bpf!(BPF_ITER_CREATE -> Ret::Fd; "iter_create" ITER_CREATE 8),
    bpf!(BPF_PROG_BIND_MAP -> Ret::Int; "prog_bind_map" BIND_MAP 12),
    bpf!(BPF_TOKEN_CREATE -> Ret::Fd; "token_create" TOKEN_CREATE 8),
    bpf!(BPF_PROG_STREAM_READ_BY_FD -> Ret::Int; "prog_stream_read" STREAM_READ 20),
    // BPF_PROG_ASSOC_STRUCT_OPS
    bpf!([38] -> Ret::Int; "prog_assoc_struct_ops" ASSOC 12),
];

pub static ROWS: &[Syscall] = &[
    syscall("bpf", Class::DESC, Ret::Int, &[arg("cmd", Ty::Enum(&COMMAND)), arg("attr", Ty::Addr), arg("size", Ty::UInt)])
        .does(&[makes(Thing::Anonymous("bpf")).cloexec()])
        .by(SelectKey::of("cmd"), FORMS)
        .may_need(&[c::CAP_BPF, c::CAP_PERFMON, c::CAP_NET_ADMIN, c::CAP_SYS_ADMIN, c::CAP_IPC_LOCK]),
    syscall("perf_event_open", Class::DESC, Ret::Fd, &[
        arg("attr", Ty::Custom(Irregular::PerfAttr, &Ty::Buffer(Dir::InOutAlways, Len::Fixed(144), 144))),
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("cpu", Ty::Int),
        arg("group_fd", Ty::Fd),
        arg("flags", Ty::As(Width::Word, &Ty::Flags(&OPEN))),
    ]).in_kernel(&[("attr", "attr_uptr")]).does(&[makes(Thing::Anonymous("perf event")).cloexec_if("flags", c::PERF_FLAG_FD_CLOEXEC)]).may_need(&[c::CAP_PERFMON, c::CAP_SYS_ADMIN, c::CAP_SYS_PTRACE, c::CAP_IPC_LOCK]),
];

pub static I386: &[(&str, Syscall)] = &[];
