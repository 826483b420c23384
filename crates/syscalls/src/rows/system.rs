//! The machine: names, modules, reboot, kexec, syslog, personality, x86 segments and ports.

use crate::sets::system::*;
use crate::structs::system::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Facility, Form, Irregular, SelectKey, Len, Note, Ret, Syscall, Ty, When, Width, arg, form, syscall};

const NONE: Class = Class::NONE;
const MODULES: Effect = Effect::Controls(Facility::Modules);
const BOOTS: Effect = Effect::NeedsCapability(c::CAP_SYS_BOOT);
const PORTS: Effect = Effect::NeedsCapability(c::CAP_SYS_RAWIO);

/// A pointer to one `unsigned int`, shown with brackets.
const UINT_OUT: Ty = Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1));

/// sethostname(2), setdomainname(2).
macro_rules! set_name {
    ($name:literal) => {
        syscall($name, NONE, Ret::Int, &[arg("name", Ty::Custom(Irregular::Between(0, 64), &Ty::Bytes(Dir::In, Len::Of("len")))), arg("len", Ty::Int)])
            .does(&[Effect::Controls(Facility::HostName)])
    };
}

/// syslog(2) by its first argument.
macro_rules! syslog {
    ($($arg:expr),*) => {
        syscall("syslog", NONE, Ret::Int, &[arg("type", Ty::Custom(Irregular::NumberedInt, &Ty::Enum(&SYSLOG))), $($arg),*])
    };
}

static SYSLOG_FORMS: &[Form] = &[
    form(
        &[
            c::SYSLOG_ACTION_CLOSE, c::SYSLOG_ACTION_OPEN, c::SYSLOG_ACTION_CLEAR, c::SYSLOG_ACTION_CONSOLE_OFF,
            c::SYSLOG_ACTION_CONSOLE_ON, c::SYSLOG_ACTION_SIZE_UNREAD, c::SYSLOG_ACTION_SIZE_BUFFER,
        ],
        syslog!(),
    ),
    form(
        &[c::SYSLOG_ACTION_READ, c::SYSLOG_ACTION_READ_ALL, c::SYSLOG_ACTION_READ_CLEAR],
        syslog!(arg("bufp", Ty::Bytes(Dir::Out, Len::Ret)), arg("len", Ty::Int)),
    ),
    form(
        &[c::SYSLOG_ACTION_CONSOLE_LEVEL],
        syslog!(arg("bufp", Ty::Addr), arg("len", Ty::Custom(Irregular::NumberedInt, &Ty::Enum(&LOGLEVEL)))),
    ),
];

/// The calls that x86 segments go through; their descriptors differ by a bit between x86-64 and i386.
macro_rules! modify_ldt {
    ($desc:ident) => {
        syscall("modify_ldt", NONE, Ret::NarrowInt, &[
            arg("func", Ty::Int),
            arg("ptr", Ty::Custom(Irregular::LdtEntry, &Ty::Ptr(Dir::In, &Ty::Struct(&$desc)))),
            arg("bytecount", Ty::ULong),
        ])
    };
}

macro_rules! set_thread_area {
    ($desc:ident) => {
        syscall("set_thread_area", NONE, Ret::Int, &[
            arg("u_info", Ty::Custom(Irregular::ThreadArea, &Ty::Ptr(Dir::InOut, &Ty::Struct(&$desc)))),
        ]).noted(Note::ThreadArea)
    };
}

macro_rules! get_thread_area {
    ($desc:ident) => {
        syscall("get_thread_area", NONE, Ret::Int, &[
            arg("u_info", Ty::Custom(Irregular::ThreadAreaOut, &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&$desc)))),
        ])
    };
}

pub static ROWS: &[Syscall] = &[
    syscall("uname", NONE, Ret::Int, &[arg("buf", Ty::Ptr(Dir::Out, &Ty::Struct(&UTSNAME)))]).in_kernel(&[("buf", "name")]).does(&[Effect::AsksOfItself]),
    syscall("sysinfo", NONE, Ret::Int, &[arg("info", Ty::Ptr(Dir::Out, &Ty::Struct(&SYSINFO)))]),
    set_name!("sethostname"),
    set_name!("setdomainname"),
    syscall("getrandom", NONE, Ret::Size, &[
        arg("buf", Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::Out, Len::Ret))),
        arg("buflen", Ty::ULong),
        arg("flags", Ty::Flags(&GRND)),
    ]).in_kernel(&[("buf", "ubuf"), ("buflen", "len")]).does(&[Effect::DrawsRandom]),
    syscall("getcpu", NONE, Ret::Int, &[arg("cpu", UINT_OUT), arg("node", UINT_OUT), arg("tcache", Ty::Addr)]).in_kernel(&[("cpu", "cpup"), ("node", "nodep"), ("tcache", "unused")]),
    syscall("personality", NONE, Ret::Hex, &[arg("persona", Ty::Custom(Irregular::Persona, &Ty::Hex))]).in_kernel(&[("persona", "personality")])
        .noted(Note::Persona)
        .does(&[Effect::Controls(Facility::Personality)]),
    syscall("syslog", NONE, Ret::Int, &[
        arg("type", Ty::Custom(Irregular::NumberedInt, &Ty::Enum(&SYSLOG))),
        arg("bufp", Ty::Addr),
        arg("len", Ty::Int),
    ])
    .by(SelectKey::of("type"), SYSLOG_FORMS)
    .does(&[Effect::Controls(Facility::KernelLog)]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("reboot", NONE, Ret::Int, &[
        arg("magic", Ty::Enum(&REBOOT_MAGIC1)),
        arg("magic2", Ty::Enum(&REBOOT_MAGIC2)),
        arg("op", Ty::Enum(&REBOOT)),
        arg("arg", Ty::Custom(Irregular::CString(255), &Ty::Buffer(Dir::In, Len::Fixed(255), 255))).when(When::OneOf("op", 0xffff_ffff, &[c::LINUX_REBOOT_CMD_RESTART2])),
    ]).in_kernel(&[("magic", "magic1"), ("op", "cmd")]).does(&[BOOTS]),
    syscall("init_module", NONE, Ret::Int, &[
        arg("module_image", Ty::Addr),
        arg("len", Ty::ULong),
        arg("param_values", Ty::Str),
    ]).does(&[MODULES]),
    syscall("finit_module", Class::DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("param_values", Ty::Str),
        arg("flags", Ty::Flags(&MODULE_INIT)),
    ]).does(&[MODULES]),
    syscall("delete_module", NONE, Ret::Int, &[arg("name", Ty::Str), arg("flags", Ty::Flags(&MODULE_DELETE))]).does(&[MODULES]),
    syscall("kexec_load", NONE, Ret::Int, &[
        arg("entry", Ty::Addr),
        arg("nr_segments", Ty::ULong),
        arg("segments", Ty::Custom(Irregular::Between(0, c::KEXEC_SEGMENT_MAX as u32), &Ty::Array(Dir::In, &Ty::Struct(&KEXEC_SEGMENT), Len::Of("nr_segments")))),
        arg("flags", Ty::Custom(Irregular::KexecFlags, &Ty::HexLong)),
    ]).does(&[BOOTS]),
    syscall("kexec_file_load", Class::DESC, Ret::Int, &[
        arg("kernel_fd", Ty::Fd),
        arg("initrd_fd", Ty::Fd),
        arg("cmdline_len", Ty::ULong),
        arg("cmdline", Ty::Bytes(Dir::In, Len::Of("cmdline_len"))),
        arg("flags", Ty::As(Width::Word, &Ty::Flags(&KEXEC_FILE))),
    ]).does(&[BOOTS]),
    syscall("membarrier", NONE, Ret::Select(&crate::RetSelect {
        on: SelectKey::of("cmd"),
        cases: &[(c::MEMBARRIER_CMD_QUERY, Ret::Hex)],
        default: Ret::Int,
    }), &[
        arg("cmd", Ty::Enum(&MEMBARRIER)),
        arg("flags", Ty::Flags(&MEMBARRIER_FLAGS)),
        arg("cpu_id", Ty::Int).when(When::AnySet("flags", &[c::MEMBARRIER_CMD_FLAG_CPU])),
    ]).noted(Note::Membarrier),
    syscall("uselib", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]),
    syscall("_sysctl", NONE, Ret::Int, &[arg("args", Ty::Ptr(Dir::In, &Ty::Struct(&SYSCTL_ARGS)))]),
    syscall("vhangup", NONE, Ret::Int, &[]).does(&[Effect::NeedsCapability(c::CAP_SYS_TTY_CONFIG)]),
    syscall("iopl", NONE, Ret::Int, &[arg("level", Ty::Int)]).does(&[PORTS]),
    syscall("ioperm", NONE, Ret::Int, &[arg("from", Ty::HexLong), arg("num", Ty::HexLong), arg("turn_on", Ty::Int)]).does(&[PORTS]),
    modify_ldt!(USER_DESC),
    set_thread_area!(USER_DESC),
    get_thread_area!(USER_DESC),
    syscall("uretprobe", NONE, Ret::Int, &[]),
    syscall("uprobe", NONE, Ret::Int, &[]),
];

pub static I386: &[(&str, Syscall)] = &[
    ("modify_ldt", modify_ldt!(USER_DESC_32)),
    ("set_thread_area", set_thread_area!(USER_DESC_32)),
    ("get_thread_area", get_thread_area!(USER_DESC_32)),
];
