//! bpf(2): the union's members for each command, linux/bpf.h. All of them live in `union bpf_attr`; where a command has
//! a struct of its own within the union, its row names it.

use crate::sets::bpf::*;
use crate::uapi::consts as c;
use crate::{Dir, Irregular, Len, PidKind, Ty, Unit, When, Width, structs};

/// An address in 64 bits, whatever the ABI.
const ADDR: Ty = Ty::As(Width::W8, &Ty::Addr);
const COOKIE: Ty = Ty::As(Width::W8, &Ty::HexLong);
const NAME: Ty = Ty::CStr;
const IFINDEX: Ty = Ty::Custom(Irregular::Ifindex, &Ty::UInt);
const PATH: Ty = Ty::Path;
const ATTACH: Ty = Ty::Enum(&ATTACH_TYPE);

/// Devices, not descriptors, are what these programs are attached to.
const DEVICES: &[u64] = &[c::BPF_XDP, c::BPF_TCX_INGRESS, c::BPF_TCX_EGRESS, c::BPF_NETKIT_PRIMARY, c::BPF_NETKIT_PEER];
const TO_FD: When = When::NoneOf("attach_type", !0, DEVICES);
const TO_DEVICE: When = When::OneOf("attach_type", !0, DEVICES);
const BY_ID: &[u64] = &[c::BPF_F_ID];

/// Control groups, whose programs have an order since 6.17.
const CGROUPS: &[u64] = &[
    c::BPF_CGROUP_INET_INGRESS,
    c::BPF_CGROUP_INET_EGRESS,
    c::BPF_CGROUP_INET_SOCK_CREATE,
    c::BPF_CGROUP_SOCK_OPS,
    c::BPF_CGROUP_DEVICE,
    c::BPF_CGROUP_INET4_BIND,
    c::BPF_CGROUP_INET6_BIND,
    c::BPF_CGROUP_INET4_CONNECT,
    c::BPF_CGROUP_INET6_CONNECT,
    c::BPF_CGROUP_UNIX_CONNECT,
    c::BPF_CGROUP_INET4_POST_BIND,
    c::BPF_CGROUP_INET6_POST_BIND,
    c::BPF_CGROUP_UDP4_SENDMSG,
    c::BPF_CGROUP_UDP6_SENDMSG,
    c::BPF_CGROUP_UNIX_SENDMSG,
    c::BPF_CGROUP_SYSCTL,
    c::BPF_CGROUP_UDP4_RECVMSG,
    c::BPF_CGROUP_UDP6_RECVMSG,
    c::BPF_CGROUP_UNIX_RECVMSG,
    c::BPF_CGROUP_GETSOCKOPT,
    c::BPF_CGROUP_SETSOCKOPT,
    c::BPF_CGROUP_INET4_GETPEERNAME,
    c::BPF_CGROUP_INET6_GETPEERNAME,
    c::BPF_CGROUP_UNIX_GETPEERNAME,
    c::BPF_CGROUP_INET4_GETSOCKNAME,
    c::BPF_CGROUP_INET6_GETSOCKNAME,
    c::BPF_CGROUP_UNIX_GETSOCKNAME,
    c::BPF_CGROUP_INET_SOCK_RELEASE,
];
/// Functions of the kernel. The last one is BPF_TRACE_FSESSION.
const TRACING: &[u64] = &[c::BPF_TRACE_FENTRY, c::BPF_TRACE_FEXIT, c::BPF_MODIFY_RETURN, c::BPF_LSM_MAC, 58];
const BEFORE_OR_AFTER: u64 = c::BPF_F_BEFORE | c::BPF_F_AFTER;
const PLACES: &[u64] = &[c::BPF_F_BEFORE, c::BPF_F_AFTER, BEFORE_OR_AFTER];
const ORDERED: When = When::OneOf("flags", BEFORE_OR_AFTER, PLACES);
const UNORDERED: When = When::NoneOf("flags", BEFORE_OR_AFTER, PLACES);
/// The map that an iterator goes over.
const ITERATED: Ty = Ty::Custom(Irregular::IteratedMap, &Ty::Fd);
const ATTACHED_WITH: Ty =
    Ty::Custom(Irregular::Filled("prog_cnt", 0), &Ty::Array(Dir::Out, &Ty::Flags(&ATTACH_FLAGS), Len::Of("prog_cnt")));
const IDS: Ty = Ty::Custom(Irregular::Filled("prog_cnt", 0), &Ty::Array(Dir::Out, &Ty::UInt, Len::Of("prog_cnt")));

const fn flagged(on: &'static str, flag: &'static [u64]) -> When {
    When::AnySet(on, flag)
}

const fn attached(types: &'static [u64]) -> When {
    When::OneOf("attach_type", !0, types)
}

/// A number that the kernel replaces.
macro_rules! changes {
    ($name:literal) => {
        Ty::Custom(Irregular::Changed($name), &Ty::UInt)
    };
}

structs! {
    pub MAP_CREATE = bpf_attr {
        map_type: Ty::Enum(&MAP_TYPE), key_size: Ty::UInt, value_size: Ty::UInt, max_entries: Ty::UInt,
        map_flags: Ty::Flags(&MAP_FLAGS), inner_map_fd: Ty::Fd,
        numa_node: Ty::Custom(Irregular::NumaNode, &Ty::UInt) => flagged("map_flags", &[c::BPF_F_NUMA_NODE]),
        map_name: NAME, map_ifindex: IFINDEX, btf_fd: Ty::Fd, btf_key_type_id: Ty::UInt, btf_value_type_id: Ty::UInt,
        btf_vmlinux_value_type_id: Ty::UInt, map_extra: Ty::Custom(Irregular::Most("UINT64_MAX"), &Ty::U64), value_type_btf_obj_fd: Ty::Fd, map_token_fd: Ty::Fd,
        excl_prog_hash: ADDR, excl_prog_hash_size: Ty::UInt
    }
    pub MAP_LOOKUP = bpf_attr { map_fd: Ty::Fd, key: ADDR, value: ADDR, flags: Ty::As(Width::W8, &Ty::Flags(&LOOKUP)) }
    pub MAP_UPDATE = bpf_attr { map_fd: Ty::Fd, key: ADDR, value: ADDR, flags: Ty::As(Width::W8, &Ty::Flags(&UPDATE)) }
    pub MAP_DELETE = bpf_attr { map_fd: Ty::Fd, key: ADDR }
    pub MAP_NEXT_KEY = bpf_attr { map_fd: Ty::Fd, key: ADDR, next_key: ADDR }
    pub MAP_FREEZE = bpf_attr { map_fd: Ty::Fd }
    pub BATCH = bpf_attr {
        in_batch = "batch.in_batch": ADDR, out_batch = "batch.out_batch": ADDR, keys = "batch.keys": ADDR,
        values = "batch.values": ADDR, count = "batch.count": changes!("count"), map_fd = "batch.map_fd": Ty::Fd,
        elem_flags = "batch.elem_flags": Ty::As(Width::W8, &Ty::Flags(&UPDATE)), flags = "batch.flags": COOKIE
    }
    pub BATCH_LOOKUP = bpf_attr {
        in_batch = "batch.in_batch": ADDR, out_batch = "batch.out_batch": ADDR, keys = "batch.keys": ADDR,
        values = "batch.values": ADDR, count = "batch.count": changes!("count"), map_fd = "batch.map_fd": Ty::Fd,
        elem_flags = "batch.elem_flags": Ty::As(Width::W8, &Ty::Flags(&LOOKUP)), flags = "batch.flags": COOKIE
    }
    pub BATCH_UPDATE = bpf_attr {
        keys = "batch.keys": ADDR, values = "batch.values": ADDR, count = "batch.count": changes!("count"),
        map_fd = "batch.map_fd": Ty::Fd, elem_flags = "batch.elem_flags": Ty::As(Width::W8, &Ty::Flags(&UPDATE)),
        flags = "batch.flags": COOKIE
    }
    pub BATCH_DELETE = bpf_attr {
        keys = "batch.keys": ADDR, count = "batch.count": changes!("count"), map_fd = "batch.map_fd": Ty::Fd,
        elem_flags = "batch.elem_flags": Ty::As(Width::W8, &Ty::Flags(&LOOKUP)), flags = "batch.flags": COOKIE
    }
    pub INSN = bpf_insn {
        code: Ty::Custom(Irregular::BpfCode, &Ty::As(Width::W1, &Ty::Hex)), dst_reg: Ty::Enum(&REGISTER),
        src_reg: Ty::Enum(&REGISTER), off: Ty::As(Width::W2, &Ty::Int), imm: Ty::Hex
    }
    pub PROG_LOAD = bpf_attr {
        prog_type: Ty::Enum(&PROG_TYPE), insn_cnt: Ty::UInt,
        insns: Ty::Custom(Irregular::InFull, &Ty::Array(Dir::In, &Ty::Struct(&INSN), Len::Of("insn_cnt"))),
        license: Ty::Str, log_level: Ty::UInt, log_size: Ty::UInt,
        log_buf: Ty::Custom(Irregular::BpfLog, &Ty::Bytes(Dir::OutAlways, Len::Of("log_size"))),
        kern_version: Ty::Custom(Irregular::KernelVersion, &Ty::UInt), prog_flags: Ty::Flags(&PROG_FLAGS),
        prog_name: NAME, prog_ifindex: IFINDEX, expected_attach_type: ATTACH, prog_btf_fd: Ty::Fd,
        func_info_rec_size: Ty::UInt, func_info: ADDR, func_info_cnt: Ty::UInt, line_info_rec_size: Ty::UInt,
        line_info: ADDR, line_info_cnt: Ty::UInt, attach_btf_id: Ty::UInt, attach_prog_fd: Ty::Fd,
        core_relo_cnt: Ty::UInt, fd_array: ADDR, core_relos: ADDR, core_relo_rec_size: Ty::UInt,
        log_true_size: Ty::Reply(&Ty::UInt), prog_token_fd: Ty::Fd, fd_array_cnt: Ty::UInt,
        signature: Ty::Custom(Irregular::HexBytes, &Ty::Bytes(Dir::In, Len::Of("signature_size"))),
        signature_size: Ty::UInt, keyring_id: Ty::Int
    }
    pub OBJ = bpf_attr {
        pathname: PATH, bpf_fd: Ty::Fd, file_flags: Ty::Flags(&OPEN_FLAGS), path_fd: Ty::DirFd
    }
    pub PROG_ATTACH = bpf_attr {
        target_fd: Ty::Fd => TO_FD, target_ifindex: IFINDEX => TO_DEVICE, attach_bpf_fd: Ty::Fd, attach_type: ATTACH,
        attach_flags: Ty::Flags(&ATTACH_FLAGS), replace_bpf_fd: Ty::Fd,
        relative_fd: Ty::Fd => When::NoneOf("attach_flags", c::BPF_F_ID, BY_ID),
        relative_id: Ty::UInt => flagged("attach_flags", BY_ID), expected_revision: Ty::U64
    }
    pub TEST_RUN = bpf_attr {
        prog_fd = "test.prog_fd": Ty::Fd, retval = "test.retval": Ty::Reply(&Ty::UInt), data_size_in = "test.data_size_in": Ty::UInt,
        data_size_out = "test.data_size_out": changes!("data_size_out"), data_in = "test.data_in": ADDR, data_out = "test.data_out": ADDR,
        repeat = "test.repeat": Ty::UInt, duration = "test.duration": Ty::Reply(&Ty::UInt), ctx_size_in = "test.ctx_size_in": Ty::UInt,
        ctx_size_out = "test.ctx_size_out": changes!("ctx_size_out"), ctx_in = "test.ctx_in": ADDR, ctx_out = "test.ctx_out": ADDR,
        flags = "test.flags": Ty::Flags(&TEST_FLAGS), cpu = "test.cpu": Ty::UInt, batch_size = "test.batch_size": Ty::UInt
    }
    pub NEXT_ID = bpf_attr { start_id: Ty::UInt, next_id: Ty::Reply(&Ty::UInt) }
    pub PROG_BY_ID = bpf_attr { prog_id: Ty::UInt }
    pub MAP_BY_ID = bpf_attr { map_id: Ty::UInt, open_flags: Ty::Flags(&BY_ID_FLAGS) }
    pub BTF_BY_ID = bpf_attr { btf_id: Ty::UInt, open_flags: Ty::Flags(&BY_ID_FLAGS), fd_by_id_token_fd: Ty::Fd }
    pub LINK_BY_ID = bpf_attr { link_id: Ty::UInt }
    pub INFO = bpf_attr {
        bpf_fd = "info.bpf_fd": Ty::Fd, info_len = "info.info_len": Ty::Custom(Irregular::Changed("info_len"), &Ty::UInt),
        info = "info.info": Ty::Custom(Irregular::BpfInfo, &Ty::Extensible(Dir::InOut, &PROG_INFO, Len::Of("info_len"), 0))
    }
    pub QUERY = bpf_attr {
        target_fd = "query.target_fd": Ty::Fd => TO_FD, target_ifindex = "query.target_ifindex": IFINDEX => TO_DEVICE,
        attach_type = "query.attach_type": ATTACH, query_flags = "query.query_flags": Ty::Flags(&QUERY_FLAGS),
        attach_flags = "query.attach_flags": Ty::Reply(&Ty::Flags(&ATTACH_FLAGS)),
        prog_ids = "query.prog_ids": IDS,
        prog_cnt = "query.prog_cnt": changes!("prog_cnt"), prog_attach_flags = "query.prog_attach_flags": ATTACHED_WITH,
        link_ids = "query.link_ids": IDS, link_attach_flags = "query.link_attach_flags": ATTACHED_WITH,
        revision = "query.revision": Ty::Reply(&COOKIE)
    }
    pub RAW_TRACEPOINT = bpf_attr {
        name = "raw_tracepoint.name": Ty::Str, prog_fd = "raw_tracepoint.prog_fd": Ty::Fd,
        cookie = "raw_tracepoint.cookie": COOKIE
    }
    pub BTF_LOAD = bpf_attr {
        btf: Ty::Bytes(Dir::In, Len::Of("btf_size")),
        btf_log_buf: Ty::Custom(Irregular::BpfLog, &Ty::Bytes(Dir::OutAlways, Len::Of("btf_log_size"))),
        btf_size: Ty::UInt, btf_log_size: Ty::UInt, btf_log_level: Ty::UInt, btf_log_true_size: Ty::Reply(&Ty::UInt),
        btf_flags: Ty::Flags(&BTF_FLAGS), btf_token_fd: Ty::Fd
    }
    pub TASK_FD = bpf_attr {
        pid = "task_fd_query.pid": Ty::Pid(PidKind::Tgid), fd = "task_fd_query.fd": Ty::Int,
        flags = "task_fd_query.flags": Ty::UInt, buf_len = "task_fd_query.buf_len": changes!("buf_len"),
        buf = "task_fd_query.buf": ADDR, prog_id = "task_fd_query.prog_id": Ty::Reply(&Ty::UInt),
        fd_type = "task_fd_query.fd_type": Ty::Reply(&Ty::Enum(&FD_TYPE)), probe_offset = "task_fd_query.probe_offset": Ty::Reply(&COOKIE),
        probe_addr = "task_fd_query.probe_addr": Ty::Reply(&COOKIE)
    }
    /// The members behind the flags depend on the attach type. Offsets in inner structs count from the beginning of the
    /// union.
    pub LINK_CREATE = bpf_attr {
        prog_fd = "link_create.prog_fd": Ty::Fd, target_fd = "link_create.target_fd": Ty::Fd => TO_FD,
        target_ifindex = "link_create.target_ifindex": IFINDEX => TO_DEVICE, attach_type = "link_create.attach_type": ATTACH,
        flags = "link_create.flags": Ty::Flags(&ATTACH_FLAGS),
        target_btf_id = "link_create.target_btf_id": Ty::NonZero(&Ty::UInt) => When::AllOf(&[attached(CGROUPS), UNORDERED]),
        cgroup = "link_create": Ty::Struct(&LINK_BESIDE) => When::AllOf(&[attached(CGROUPS), ORDERED]),
        iter_info = "link_create.iter_info": Ty::Array(Dir::In, &ITERATED, Len::Of("iter_info_len")) => attached(&[c::BPF_TRACE_ITER]),
        iter_info_len = "link_create.iter_info_len": Ty::UInt => attached(&[c::BPF_TRACE_ITER]),
        perf_event = "link_create": Ty::Struct(&LINK_PERF) => attached(&[c::BPF_PERF_EVENT]),
        tracing = "link_create": Ty::Struct(&LINK_TRACING) => attached(TRACING),
        tracing_multi = "link_create": Ty::Struct(&LINK_TRACING_MULTI) => attached(&[59, 60, 61]),
        netfilter = "link_create": Ty::Struct(&LINK_NETFILTER) => attached(&[c::BPF_NETFILTER]),
        tcx = "link_create": Ty::Struct(&LINK_BESIDE) => attached(&[c::BPF_TCX_INGRESS, c::BPF_TCX_EGRESS]),
        netkit = "link_create": Ty::Struct(&LINK_BESIDE) => attached(&[c::BPF_NETKIT_PRIMARY, c::BPF_NETKIT_PEER]),
        kprobe_multi = "link_create": Ty::Struct(&LINK_KPROBES) => attached(&[c::BPF_TRACE_KPROBE_MULTI]),
        uprobe_multi = "link_create": Ty::Struct(&LINK_UPROBES) => attached(&[c::BPF_TRACE_UPROBE_MULTI])
    }
    pub LINK_PERF = bpf_attr { bpf_cookie = "link_create.perf_event.bpf_cookie": COOKIE }
    pub LINK_TRACING = bpf_attr {
        target_btf_id = "link_create.tracing.target_btf_id": Ty::UInt, cookie = "link_create.tracing.cookie": COOKIE
    }
    /// Since 7.2: 64 bits, 64 bits, 32 bits.
    pub LINK_TRACING_MULTI = bpf_attr {
        ids = "batch.keys": Ty::Array(Dir::In, &Ty::UInt, Len::Of("cnt")),
        cookies = "batch.values": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt")), cnt = "batch.count": Ty::UInt
    }
    pub LINK_NETFILTER = bpf_attr {
        pf = "link_create.netfilter.pf": Ty::UInt, hooknum = "link_create.netfilter.hooknum": Ty::UInt,
        priority = "link_create.netfilter.priority": Ty::Int, flags = "link_create.netfilter.flags": Ty::Flags(&NETFILTER)
    }
    /// Beside which other program one is attached
    pub LINK_BESIDE = bpf_attr {
        attach_flags = "link_create.flags": Ty::Hex => When::Never,
        relative_fd = "link_create.tcx.relative_fd": Ty::Fd => When::NoneOf("attach_flags", c::BPF_F_ID, BY_ID),
        relative_id = "link_create.tcx.relative_id": Ty::UInt => flagged("attach_flags", BY_ID),
        expected_revision = "link_create.tcx.expected_revision": COOKIE
    }
    pub LINK_KPROBES = bpf_attr {
        flags = "link_create.kprobe_multi.flags": Ty::Flags(&KPROBE_MULTI), cnt = "link_create.kprobe_multi.cnt": Ty::UInt,
        syms = "link_create.kprobe_multi.syms": Ty::Array(Dir::In, &Ty::Str, Len::Of("cnt")),
        addrs = "link_create.kprobe_multi.addrs": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt")),
        cookies = "link_create.kprobe_multi.cookies": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt"))
    }
    pub LINK_UPROBES = bpf_attr {
        path = "link_create.uprobe_multi.path": PATH,
        offsets = "link_create.uprobe_multi.offsets": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt")),
        ref_ctr_offsets = "link_create.uprobe_multi.ref_ctr_offsets": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt")),
        cookies = "link_create.uprobe_multi.cookies": Ty::Array(Dir::In, &COOKIE, Len::Of("cnt")),
        cnt = "link_create.uprobe_multi.cnt": Ty::UInt, flags = "link_create.uprobe_multi.flags": Ty::Flags(&UPROBE_MULTI),
        pid = "link_create.uprobe_multi.pid": Ty::Pid(PidKind::Tgid),
        // Since 6.19, at 60, where another command has this.
        path_fd = "btf_vmlinux_value_type_id": Ty::Fd
    }
    pub LINK_UPDATE = bpf_attr {
        link_fd = "link_update.link_fd": Ty::Fd, new_prog_fd = "link_update.new_prog_fd": Ty::Fd,
        flags = "link_update.flags": Ty::Flags(&ATTACH_FLAGS),
        old_prog_fd = "link_update.old_prog_fd": Ty::Fd => flagged("flags", &[c::BPF_F_REPLACE])
    }
    pub LINK_DETACH = bpf_attr { link_fd = "link_detach.link_fd": Ty::Fd }
    pub ENABLE_STATS = bpf_attr { r#type = "enable_stats.type": Ty::Enum(&STATS) }
    pub ITER_CREATE = bpf_attr { link_fd = "iter_create.link_fd": Ty::Fd, flags = "iter_create.flags": Ty::Hex }
    pub BIND_MAP = bpf_attr {
        prog_fd = "prog_bind_map.prog_fd": Ty::Fd, map_fd = "prog_bind_map.map_fd": Ty::Fd,
        flags = "prog_bind_map.flags": Ty::Hex
    }
    pub TOKEN_CREATE = bpf_attr { flags = "token_create.flags": Ty::Hex, bpffs_fd = "token_create.bpffs_fd": Ty::Fd }
    pub STREAM_READ = bpf_attr {
        stream_buf = "prog_stream_read.stream_buf": Ty::Bytes(Dir::OutAlways, Len::Of("stream_buf_len")),
        stream_buf_len = "prog_stream_read.stream_buf_len": Ty::UInt, stream_id = "prog_stream_read.stream_id": Ty::UInt,
        prog_fd = "prog_stream_read.prog_fd": Ty::Fd
    }
    pub ASSOC = bpf_attr {
        map_fd = "prog_bind_map.prog_fd": Ty::Fd, prog_fd = "prog_bind_map.map_fd": Ty::Fd,
        flags = "prog_bind_map.flags": Ty::Hex
    }
}

structs! {
    // Answers of BPF_OBJ_GET_INFO_BY_FD: linux/bpf.h
    pub MAP_INFO = bpf_map_info {
        r#type: Ty::Enum(&MAP_TYPE), id: Ty::UInt, key_size: Ty::UInt, value_size: Ty::UInt, max_entries: Ty::UInt,
        map_flags: Ty::Flags(&MAP_FLAGS), name: NAME, ifindex: Ty::UInt, btf_vmlinux_value_type_id: Ty::UInt,
        netns_dev: Ty::Dev, netns_ino: Ty::U64, btf_id: Ty::UInt, btf_key_type_id: Ty::UInt, btf_value_type_id: Ty::UInt,
        btf_vmlinux_id: Ty::UInt, map_extra: COOKIE, hash: COOKIE, hash_size: Ty::UInt
    }
    pub PROG_INFO = bpf_prog_info {
        r#type: Ty::Enum(&PROG_TYPE), id: Ty::UInt, tag: Ty::Custom(Irregular::HexBytes, &Ty::Blob(8)),
        jited_prog_len: changes!("jited_prog_len"), jited_prog_insns: ADDR, xlated_prog_len: changes!("xlated_prog_len"),
        xlated_prog_insns: Ty::Custom(Irregular::Filled("xlated_prog_len", 3), &Ty::Array(
            Dir::Out, &Ty::Struct(&INSN), Len::Units { of: "xlated_prog_len", less: 0, unit: Unit::ByteBits })),
        load_time: Ty::U64, created_by_uid: Ty::UInt, nr_map_ids: changes!("nr_map_ids"),
        map_ids: Ty::Custom(Irregular::Filled("nr_map_ids", 0), &Ty::Array(Dir::Out, &Ty::UInt, Len::Of("nr_map_ids"))),
        name: NAME, ifindex: Ty::UInt, gpl_compatible: Ty::UInt, netns_dev: Ty::Dev, netns_ino: Ty::U64,
        nr_jited_ksyms: changes!("nr_jited_ksyms"), nr_jited_func_lens: changes!("nr_jited_func_lens"), jited_ksyms: ADDR,
        jited_func_lens: ADDR, btf_id: Ty::UInt, func_info_rec_size: changes!("func_info_rec_size"), func_info: ADDR,
        nr_func_info: changes!("nr_func_info"), nr_line_info: changes!("nr_line_info"), line_info: ADDR,
        jited_line_info: ADDR, nr_jited_line_info: changes!("nr_jited_line_info"),
        line_info_rec_size: changes!("line_info_rec_size"), jited_line_info_rec_size: changes!("jited_line_info_rec_size"),
        nr_prog_tags: changes!("nr_prog_tags"), prog_tags: ADDR, run_time_ns: Ty::U64, run_cnt: Ty::U64,
        recursion_misses: Ty::U64, verified_insns: Ty::UInt, attach_btf_obj_id: Ty::UInt, attach_btf_id: Ty::UInt
    }
    pub BTF_INFO = bpf_btf_info {
        btf: ADDR, btf_size: changes!("btf_size"), id: Ty::UInt, name: ADDR, name_len: changes!("name_len"), kernel_btf: Ty::UInt
    }
    pub LINK_INFO = bpf_link_info {
        r#type: Ty::Enum(&LINK_TYPE), id: Ty::UInt, prog_id: Ty::UInt,
        tp_name = "raw_tracepoint.tp_name": ADDR => links(&[c::BPF_LINK_TYPE_RAW_TRACEPOINT]),
        tp_name_len = "raw_tracepoint.tp_name_len": Ty::UInt => links(&[c::BPF_LINK_TYPE_RAW_TRACEPOINT]),
        attach_type = "tracing.attach_type": ATTACH => links(&[c::BPF_LINK_TYPE_TRACING]),
        target_obj_id = "tracing.target_obj_id": Ty::UInt => links(&[c::BPF_LINK_TYPE_TRACING]),
        target_btf_id = "tracing.target_btf_id": Ty::UInt => links(&[c::BPF_LINK_TYPE_TRACING]),
        cgroup_id = "cgroup.cgroup_id": Ty::U64 => links(&[c::BPF_LINK_TYPE_CGROUP]),
        attach_type = "cgroup.attach_type": ATTACH => links(&[c::BPF_LINK_TYPE_CGROUP]),
        target_name = "iter.target_name": ADDR => links(&[c::BPF_LINK_TYPE_ITER]),
        target_name_len = "iter.target_name_len": Ty::UInt => links(&[c::BPF_LINK_TYPE_ITER]),
        netns_ino = "netns.netns_ino": Ty::UInt => links(&[c::BPF_LINK_TYPE_NETNS]),
        attach_type = "netns.attach_type": ATTACH => links(&[c::BPF_LINK_TYPE_NETNS]),
        ifindex = "xdp.ifindex": IFINDEX => links(&[c::BPF_LINK_TYPE_XDP]),
        map_id = "struct_ops.map_id": Ty::UInt => links(&[c::BPF_LINK_TYPE_STRUCT_OPS]),
        pf = "netfilter.pf": Ty::UInt => links(&[c::BPF_LINK_TYPE_NETFILTER]),
        hooknum = "netfilter.hooknum": Ty::UInt => links(&[c::BPF_LINK_TYPE_NETFILTER]),
        priority = "netfilter.priority": Ty::Int => links(&[c::BPF_LINK_TYPE_NETFILTER]),
        flags = "netfilter.flags": Ty::Hex => links(&[c::BPF_LINK_TYPE_NETFILTER]),
        ifindex = "tcx.ifindex": IFINDEX => links(&[c::BPF_LINK_TYPE_TCX, c::BPF_LINK_TYPE_NETKIT]),
        attach_type = "tcx.attach_type": ATTACH => links(&[c::BPF_LINK_TYPE_TCX, c::BPF_LINK_TYPE_NETKIT]),
        map_id = "sockmap.map_id": Ty::UInt => links(&[c::BPF_LINK_TYPE_SOCKMAP]),
        attach_type = "sockmap.attach_type": ATTACH => links(&[c::BPF_LINK_TYPE_SOCKMAP])
    }
}

const fn links(types: &'static [u64]) -> When {
    When::OneOf("type", !0, types)
}
