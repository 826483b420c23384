//! Finds the files that descriptors refer to (`-y`, `-P`), by separate programs, which are loaded only if that is asked for.

use crate::loading::programs::Programs;
use crate::loading::relocate;
use crate::operations::{self, Tracepoints};
use crate::wire::{
    FilesSkel, FilesSkelBuilder, Wire, bound, bytes_of, case_key, device_numbers, fds_all, fds_passed, fds_plan,
    file_detail, file_flag, rec_file,
};
use libbpf_rs::skel::OpenSkel;
use libbpf_rs::{Link, MapCore, MapFlags};
use std::net::IpAddr;
use stride_event::{CallSet, Descriptor, Detail};
use stride_syscalls::ioctl::twins;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, Dir, Effect, Irregular, Len, Ret, Select, Syscall, Ty, table};

/// The loaded programs, attached until they are dropped.
pub struct FilePrograms {
    _skel: FilesSkel<'static>,
    _links: Vec<Link>,
}

impl FilePrograms {
    /// Loads and attaches the programs that look up the descriptors of these calls.
    ///
    /// `of_operations`: also those of operations of io_uring. `guarded`: as in [`crate::loading::config::Config`]. They must be attached before the programs that send the records of calls, because those records come last.
    pub fn attach(
        programs: &Programs,
        calls: &CallSet,
        of_operations: bool,
        guarded: bool,
    ) -> libbpf_rs::Result<FilePrograms> {
        let (plans, cases) = plans(calls);
        let mut open = relocate::open(programs.types(), FilesSkelBuilder::default())?;
        open.maps.ring.reuse_fd(programs.rings()[0])?;
        open.maps.tasks.reuse_fd(programs.tasks())?;
        if let Some(rodata) = open.maps.rodata_data.as_deref_mut() {
            rodata.ring_call_limit = programs.ring_call_limit();
            rodata.guarded = guarded;
            rodata.have_messages = plans.iter().any(|(_, plan)| plan.passed != 0);
            rodata.level = programs.nested().map_or(0, |(level, _)| level);
        }
        let tracepoints = Tracepoints::for_operations(of_operations);
        open.progs.on_operation_begins.set_autoload(tracepoints.submits());
        open.progs.on_operation_begins_before.set_autoload(tracepoints.submits_before());
        open.progs.on_operation_ends.set_autoload(tracepoints.completes());
        open.progs.on_operation_ends_before.set_autoload(tracepoints.completes_before());
        open.maps.uring_fds.set_autocreate(of_operations)?;
        open.maps.fd_cases.set_max_entries(cases.len().max(1) as u32)?;
        let skel = open.load()?;
        if of_operations {
            for (opcode, plan) in operations::fds() {
                skel.maps.uring_fds.update(bytes_of(&[opcode]), bytes_of(&[plan]), MapFlags::ANY)?;
            }
        }
        let (keys, plans): (Vec<u32>, Vec<fds_plan>) = plans.into_iter().unzip();
        fill(&skel.maps.fds, &keys, &plans)?;
        let (keys, all): (Vec<case_key>, Vec<u32>) = cases.into_iter().unzip();
        fill(&skel.maps.fd_cases, &keys, &all)?;
        let p = &skel.progs;
        let all = [
            &p.on_fds_given,
            &p.on_fds_of_last,
            &p.on_fds_made,
            &p.on_operation_begins,
            &p.on_operation_begins_before,
            &p.on_operation_ends,
            &p.on_operation_ends_before,
        ];
        let links = all.iter().filter(|prog| prog.autoload()).map(|prog| prog.attach()).collect::<Result<_, _>>()?;
        Ok(FilePrograms { _skel: skel, _links: links })
    }
}

fn fill<K: Wire, V: Wire>(map: &impl MapCore, keys: &[K], values: &[V]) -> libbpf_rs::Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    map.update_batch(bytes_of(keys), bytes_of(values), keys.len() as u32, MapFlags::ANY, MapFlags::ANY)
}

type Plans = Vec<(u32, fds_plan)>;
/// Bits of `fds_all` for the cases of a call whose descriptors differ from those of its other cases.
type Cases = Vec<(case_key, u32)>;

/// The descriptors of all wanted calls, by their index in the map.
fn plans(calls: &CallSet) -> (Plans, Cases) {
    let (mut all, mut cases) = (Vec::new(), Vec::new());
    for &abi in Abi::SERVED {
        for entry in table(abi).iter().filter(|e| calls.contains(abi, u64::from(e.nr)) && e.nr < bound::NUMBERS.0) {
            let index = abi as u32 * bound::NUMBERS.0 + entry.nr;
            let mut plan = fds_plan::default();
            add(&mut plan, index, &mut cases, entry.row, abi);
            for form in entry.row.forms.iter().flat_map(|f| f.cases) {
                add(&mut plan, index, &mut cases, &form.row, abi);
            }
            if bytes_of(&[plan]).iter().any(|&byte| byte != 0) {
                all.push((index, plan));
            }
        }
    }
    (all, cases)
}

fn add(plan: &mut fds_plan, index: u32, cases: &mut Cases, row: &Syscall, abi: Abi) {
    let passes = row.has_effect(Effect::PassesDescriptors);
    for (i, arg) in row.args.iter().enumerate() {
        let register = row.register(i, abi) as u8;
        if is_fd(&arg.ty) {
            plan.args |= 1 << register;
        } else if matches!(arg.ty, Ty::Array(Dir::Out, Ty::Fd, Len::Fixed(2))) {
            plan.pair = register + 1;
        } else if !matches!(arg.ty, Ty::Select(_)) {
            plan.all |= all(&arg.ty) as u8;
        }
        match &arg.ty {
            Ty::Sockaddr(Dir::In, _) => plan.address = register + 1,
            Ty::Select(select) => choice(plan, index, cases, row, select, abi),
            Ty::Custom(irregular, inner) if irregular.holds_messages() => {
                let given = matches!(inner, Ty::Bytes(Dir::In, _) | Ty::Ptr(Dir::In, _))
                    || matches!(irregular, Irregular::Mmsghdr);
                if given {
                    plan.all |= fds_all::FDS_OF_NETLINK.0 as u8;
                }
                if passes {
                    plan.message = register + 1;
                    plan.passed = if given { fds_passed::FDS_SENT.0 } else { fds_passed::FDS_RECEIVED.0 } as u8;
                    if !matches!(irregular, Irregular::Msghdr) {
                        plan.passed |= fds_passed::FDS_MANY_MESSAGES.0 as u8;
                    }
                }
            }
            _ => {}
        }
    }
    let returned = match row.ret {
        Ret::Select(choice) => choice.cases.iter().map(|c| &c.1).chain([&choice.default]).any(|r| matches!(r, Ret::Fd)),
        ret => matches!(ret, Ret::Fd),
    };
    plan.returned |= u8::from(returned);
}

/// Notes which cases of a choice have descriptors in memory. Calls such as ioctl(2) are many, and few of their cases have any.
fn choice(plan: &mut fds_plan, index: u32, cases: &mut Cases, row: &Syscall, select: &Select, abi: Abi) {
    let on = &select.on;
    let register = |name| row.register(row.index(name), abi) as u8 + 1;
    let key = (register(on.arg), on.second.map_or(0, register), on.shift, on.mask as u32);
    let known = (plan.chosen, plan.second, plan.shift, plan.mask);
    plan.all |= all(&select.default) as u8;
    for case in select.cases {
        let all = all(&case.1);
        if all != 0 && known.0 != 0 && known != key {
            // The plan has room for one key.
            plan.all |= all as u8;
        } else if all != 0 {
            (plan.chosen, plan.second, plan.shift, plan.mask) = key;
            let own = twins::of_i386().filter(|&(_, usual)| on.request && abi == Abi::I386 && usual == case.0);
            let values = own.map(|(own, _)| own).chain([case.0]);
            cases.extend(values.map(|value| (case_key { value, choice: index.into() }, all)));
        }
    }
}

/// When all descriptors are to be told because of an argument.
fn all(ty: &Ty) -> u32 {
    let (given, made) = (holds_fds(ty, false), holds_fds(ty, true));
    (if given { fds_all::FDS_ALL_GIVEN.0 } else { 0 }) | (if made { fds_all::FDS_ALL_MADE.0 } else { 0 })
}

/// True if an argument is a descriptor, or may be one.
fn is_fd(ty: &Ty) -> bool {
    match ty {
        // The other process may be the caller's own.
        Ty::Fd | Ty::DirFd | Ty::Custom(Irregular::FdOf(_) | Irregular::FdOfPidfd(_), _) => true,
        Ty::As(_, inner) | Ty::Custom(_, inner) => is_fd(inner),
        Ty::Select(select) => is_fd(&select.default) || select.cases.iter().any(|c| is_fd(&c.1)),
        _ => false,
    }
}

/// True if there are descriptors in the memory behind an argument: given to the call, or made by it. Messages are left out: these calls
/// are many, and the kernel side looks for descriptors in them.
fn holds_fds(ty: &Ty, made: bool) -> bool {
    let holds = |dir: Dir, inner: &Ty| (if made { dir == Dir::Out } else { dir.at_entry() }) && has_fd(inner, made);
    match *ty {
        Ty::Ptr(dir, inner) | Ty::Array(dir, inner, _) | Ty::Table(dir, inner, ..) => holds(dir, inner),
        Ty::Extensible(dir, s, ..) => holds(dir, &Ty::Struct(s)),
        Ty::Exchange(s) | Ty::Spread(s) => holds(Dir::In, &Ty::Struct(s)),
        Ty::Turn(s, _) => holds(Dir::In, &Ty::Struct(s)),
        Ty::Select(select) => select.cases.iter().any(|c| holds_fds(&c.1, made)) || holds_fds(&select.default, made),
        Ty::Custom(Irregular::FdSet | Irregular::UdmabufList, _) => !made,
        Ty::Custom(Irregular::Msghdr | Irregular::Mmsghdr | Irregular::MmsghdrOut, _) => false,
        Ty::Custom(_, inner) | Ty::As(_, inner) => holds_fds(inner, made),
        _ => false,
    }
}

/// True if a value in memory is a descriptor, or contains one.
fn has_fd(ty: &Ty, made: bool) -> bool {
    match ty {
        Ty::Struct(s) => s.fields.iter().any(|f| has_fd(&f.ty, made)),
        Ty::Items(inner) | Ty::Reply(inner) | Ty::NonZero(inner) => has_fd(inner, made),
        ty => is_fd(ty) || holds_fds(ty, made),
    }
}

// linux/magic.h, and what has no path in it.
const SOCKFS: u64 = 0x534f_434b;
const PIPEFS: u64 = 0x5049_5045;
const ANON_INODEFS: u64 = 0x0904_1934;
const PIDFS: u64 = 0x5049_4446;
const NSFS: u64 = 0x6e73_6673;

/// The file or socket that a record describes, with the names that follow it. `None` if the record does not suffice.
pub fn descriptor(rec: &rec_file, names: &[u8]) -> Option<Descriptor> {
    let has = |flag: file_flag| rec.flags & flag.0 != 0;
    let bare = Descriptor { fd: rec.fd as i32, made: has(file_flag::FILE_MADE), ..Descriptor::default() };
    if has(file_flag::FILE_NONE) || has(file_flag::FILE_CUT) {
        return Some(bare);
    }
    let (names, address) = match (rec.magic, names.iter().position(|&b| b == 0)) {
        (SOCKFS, Some(end)) => names.split_at(end + 1),
        _ => (names, &[][..]),
    };
    let names: Vec<&[u8]> = names.split_inclusive(|&b| b == 0).filter_map(|n| n.strip_suffix(b"\0")).collect();
    let name = names.first().copied().unwrap_or_default();
    let alone = has(file_flag::FILE_ALONE);
    let mut path = match rec.magic {
        NSFS => return None,
        SOCKFS => format!("socket:[{}]", rec.ino).into_bytes(),
        PIPEFS => format!("pipe:[{}]", rec.ino).into_bytes(),
        PIDFS => b"anon_inode:[pidfd]".to_vec(),
        ANON_INODEFS => [b"anon_inode:", name].concat(),
        _ if names.is_empty() => b"/".to_vec(),
        _ => names.iter().rev().flat_map(|name| [b"/", *name].concat()).collect(),
    };
    // The kernel's mark stays if the file has other names.
    let gone = path[0] == b'/' && (alone || has(file_flag::FILE_UNHASHED) && !names.is_empty());
    if gone && rec.nlink > 0 {
        path.extend_from_slice(b" (deleted)");
    }
    let detail = detail(rec, &path, address);
    Some(Descriptor {
        path,
        deleted: gone && rec.nlink == 0,
        mode: rec.mode,
        inode: rec.ino,
        device: device_numbers(rec.rdev),
        name: if alone { name.to_vec() } else { Vec::new() },
        detail,
        ..bare
    })
}

fn detail(rec: &rec_file, path: &[u8], address: &[u8]) -> Detail {
    const PTMX: u32 = 5 << 20 | 2;
    let from = &rec.detail;
    let [first, second, third] = from.numbers;
    match path {
        b"anon_inode:[eventfd]" => Detail::Eventfd { count: first, id: second, semaphore: third & 1 != 0 },
        b"anon_inode:[signalfd]" => Detail::Signalfd(first),
        b"anon_inode:[pidfd]" => Detail::Pidfd(first as i32),
        _ if rec.magic == SOCKFS => socket(from, address),
        _ if rec.rdev == PTMX && rec.mode & 0o170000 == 0o020000 => Detail::Terminal(first as u32),
        _ => Detail::None,
    }
}

fn socket(from: &file_detail, name: &[u8]) -> Detail {
    let address = |i: usize| {
        let words: [u32; 4] = [0, 1, 2, 3].map(|k| from.addresses[i + k]);
        if u64::from(from.family) == c::AF_INET {
            return IpAddr::from(words[0].to_ne_bytes());
        }
        let mut bytes = [0; 16];
        bytes.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
        IpAddr::from(bytes)
    };
    match u64::from(from.family) {
        c::AF_NETLINK => Detail::Netlink { protocol: from.numbers[0] as u32, port: from.numbers[1] as u32 },
        c::AF_UNIX => Detail::Unix { peer: from.numbers[0], name: name.to_vec() },
        // A socket without a port is not bound yet.
        c::AF_INET | c::AF_INET6 if from.ports[0] != 0 => Detail::Inet {
            local: (address(0), from.ports[0]),
            remote: (from.ports[1] != 0).then(|| (address(4), from.ports[1])),
        },
        _ => Detail::None,
    }
}
