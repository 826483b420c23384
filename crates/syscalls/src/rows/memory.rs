//! Memory: mmap, protection, advice, NUMA.

use crate::sets::memory::*;
use crate::structs::memory::*;
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Irregular, Len, PidKind, Ret, Syscall, Ty, Unit, When, Width, arg, syscall};

const MEM: Class = Class::MEMORY;
const PROTECTION: Ty = Ty::As(Width::Word, &Ty::Flags(&PROT));
/// The words of a node mask; its length is given in bits, one too many.
const NODES: Len = Len::Units { of: "maxnode", less: 1, unit: Unit::WordBits };
const NODES_IN: Ty = Ty::Custom(Irregular::NodeMask, &Ty::Array(Dir::In, &Ty::HexLong, NODES));
const NODES_OUT: Ty = Ty::Custom(Irregular::NodeMask, &Ty::Array(Dir::Out, &Ty::HexLong, NODES));

pub static ROWS: &[Syscall] = &[
    syscall("mmap", MEM.or(Class::DESC), Ret::Addr, &[
        arg("addr", Ty::Addr),
        arg("length", Ty::ULong),
        arg("prot", PROTECTION),
        arg("flags", Ty::Flags(&MAP)),
        arg("fd", Ty::Fd),
        arg("offset", Ty::HexLong),
    ]).in_kernel(&[("length", "len"), ("offset", "off")]).does(&[Effect::Maps]),
    syscall("munmap", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong)]).in_kernel(&[("length", "len")]).does(&[Effect::Unmaps]),
    syscall("mremap", MEM, Ret::Addr, &[
        arg("old_address", Ty::Addr),
        arg("old_size", Ty::ULong),
        arg("new_size", Ty::ULong),
        arg("flags", Ty::As(Width::Word, &Ty::Flags(&MREMAP))),
        arg("new_address", Ty::Addr).when(When::AnySet("flags", &[c::MREMAP_MAYMOVE | c::MREMAP_FIXED, c::MREMAP_MAYMOVE | c::MREMAP_DONTUNMAP])),
    ]).in_kernel(&[("old_address", "addr"), ("old_size", "old_len"), ("new_size", "new_len"), ("new_address", "new_addr")]).does(&[Effect::Remaps]),
    syscall("mprotect", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong), arg("prot", PROTECTION)]).in_kernel(&[("addr", "start"), ("length", "len")])
        .does(&[Effect::Protects]),
    syscall("pkey_mprotect", MEM, Ret::Int, &[
        arg("addr", Ty::Addr),
        arg("length", Ty::ULong),
        arg("prot", PROTECTION),
        arg("pkey", Ty::Int),
    ]).in_kernel(&[("addr", "start"), ("length", "len")]).does(&[Effect::Protects]),
    syscall("pkey_alloc", Class::NONE, Ret::Int, &[
        arg("flags", Ty::HexLong),
        arg("access_rights", Ty::As(Width::Word, &Ty::Flags(&PKEY_RIGHTS))),
    ]).in_kernel(&[("access_rights", "init_val")]),
    syscall("pkey_free", Class::NONE, Ret::Int, &[arg("pkey", Ty::Int)]),
    syscall("msync", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong), arg("flags", Ty::Flags(&MSYNC))]).in_kernel(&[("addr", "start"), ("length", "len")])
        .does(&[Effect::SyncsMapped]),
    syscall("madvise", MEM, Ret::Int, &[
        arg("addr", Ty::Addr),
        arg("length", Ty::ULong),
        arg("advice", Ty::Enum(&ADVICE)),
    ]).in_kernel(&[("addr", "start"), ("length", "len_in"), ("advice", "behavior")])
    .does(&[Effect::Advises]),
    syscall("process_madvise", Class::DESC, Ret::Size, &[
        arg("pidfd", Ty::Fd),
        arg("iovec", Ty::Array(Dir::In, &Ty::Struct(&BUFFERS), Len::Of("n"))),
        arg("n", Ty::ULong),
        arg("advice", Ty::Enum(&ADVICE)),
        arg("flags", Ty::Hex),
    ]).in_kernel(&[("iovec", "vec"), ("n", "vlen"), ("advice", "behavior")]).may_need(&[c::CAP_SYS_NICE, c::CAP_SYS_PTRACE]),
    syscall("mincore", MEM, Ret::Int, &[
        arg("addr", Ty::Addr),
        arg("length", Ty::ULong),
        arg("vec", Ty::Array(
            Dir::Out,
            &Ty::Custom(Irregular::Residency, &Ty::As(Width::W1, &Ty::UInt)),
            Len::Units { of: "length", less: 0, unit: Unit::Page },
        )),
    ]).in_kernel(&[("addr", "start"), ("length", "len")]),
    syscall("brk", MEM, Ret::Addr, &[arg("addr", Ty::Addr)]).in_kernel(&[("addr", "brk")]).does(&[Effect::MovesHeapEnd]),
    syscall("mlock", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong)]).in_kernel(&[("addr", "start"), ("length", "len")]).may_need(&[c::CAP_IPC_LOCK]),
    syscall("mlock2", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong), arg("flags", Ty::Flags(&MLOCK2))]).in_kernel(&[("addr", "start"), ("length", "len")]).may_need(&[c::CAP_IPC_LOCK]),
    syscall("munlock", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong)]).in_kernel(&[("addr", "start"), ("length", "len")]),
    syscall("mlockall", MEM, Ret::Int, &[arg("flags", Ty::Flags(&MLOCKALL))]).may_need(&[c::CAP_IPC_LOCK]),
    syscall("munlockall", MEM, Ret::Int, &[]),
    syscall("remap_file_pages", MEM, Ret::Int, &[
        arg("addr", Ty::Addr),
        arg("size", Ty::ULong),
        arg("prot", PROTECTION),
        arg("pgoff", Ty::ULong),
        arg("flags", Ty::Flags(&MAP)),
    ]).in_kernel(&[("addr", "start")]).may_need(&[c::CAP_IPC_LOCK]),
    syscall("mseal", MEM, Ret::Int, &[arg("addr", Ty::Addr), arg("length", Ty::ULong), arg("flags", Ty::HexLong)]).in_kernel(&[("addr", "start"), ("length", "len")]),
    syscall("map_shadow_stack", MEM, Ret::Addr, &[
        arg("addr", Ty::Addr),
        arg("len", Ty::ULong),
        arg("flags", Ty::Flags(&SHADOW_STACK)),
    ]),
    syscall("mbind", MEM, Ret::Int, &[
        arg("addr", Ty::Addr),
        arg("len", Ty::ULong),
        arg("mode", Ty::As(Width::Word, &Ty::Flags(&MPOL_MODE))),
        arg("nodemask", NODES_IN),
        arg("maxnode", Ty::ULong),
        arg("flags", Ty::Flags(&MPOL_MOVE)),
    ]).in_kernel(&[("addr", "start"), ("nodemask", "nmask")]).may_need(&[c::CAP_SYS_NICE]),
    syscall("set_mempolicy", MEM, Ret::Int, &[
        arg("mode", Ty::Flags(&MPOL_MODE)),
        arg("nodemask", NODES_IN),
        arg("maxnode", Ty::ULong),
    ]).in_kernel(&[("nodemask", "nmask")]),
    syscall("get_mempolicy", MEM, Ret::Int, &[
        arg("mode", Ty::Array(Dir::Out, &Ty::Enum(&MPOL_MODES), Len::Fixed(1))),
        arg("nodemask", NODES_OUT),
        arg("maxnode", Ty::ULong),
        arg("addr", Ty::Addr),
        arg("flags", Ty::As(Width::Word, &Ty::Flags(&MPOL_QUERY))),
    ]).in_kernel(&[("mode", "policy"), ("nodemask", "nmask")]),
    syscall("set_mempolicy_home_node", MEM, Ret::Int, &[
        arg("start", Ty::Addr),
        arg("len", Ty::ULong),
        arg("home_node", Ty::ULong),
        arg("flags", Ty::HexLong),
    ]),
    syscall("migrate_pages", MEM, Ret::Int, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("maxnode", Ty::ULong),
        arg("old_nodes", NODES_IN),
        arg("new_nodes", NODES_IN),
    ]).may_need(&[c::CAP_SYS_NICE, c::CAP_SYS_PTRACE]),
    syscall("move_pages", MEM, Ret::Int, &[
        arg("pid", Ty::Pid(PidKind::Tgid)),
        arg("count", Ty::ULong),
        arg("pages", Ty::Array(Dir::In, &Ty::Addr, Len::Of("count"))),
        arg("nodes", Ty::Array(Dir::In, &Ty::Int, Len::Of("count"))),
        arg("status", Ty::Custom(
            Irregular::NodesOrErrors, &Ty::Array(Dir::Out, &Ty::Custom(Irregular::NodeOrError, &Ty::Int), Len::Of("count")),
        )),
        arg("flags", Ty::Flags(&MPOL_MOVE)),
    ]).in_kernel(&[("count", "nr_pages")]).may_need(&[c::CAP_SYS_NICE, c::CAP_SYS_PTRACE]),
];

pub static I386: &[(&str, Syscall)] = &[
    // The first mmap takes its arguments from memory.
    ("mmap", syscall("mmap", MEM.or(Class::DESC), Ret::Addr, &[
        arg("addr", Ty::Spread(&MMAP_ARGS)),
    ]).in_kernel(&[("length", "len"), ("offset", "off")]).does(&[Effect::Maps])),
    ("mmap2", syscall("mmap2", MEM.or(Class::DESC), Ret::Addr, &[
        arg("addr", Ty::Addr),
        arg("length", Ty::ULong),
        arg("prot", PROTECTION),
        arg("flags", Ty::Flags(&MAP)),
        arg("fd", Ty::Fd),
        arg("offset", Ty::Custom(Irregular::PageOffset, &Ty::HexLong)),
    ]).does(&[Effect::Maps])),
];
