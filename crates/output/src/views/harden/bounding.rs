//! The capabilities that calls may have needed (capabilities(7)): more than [`super::capabilities`] names, because one that is missing here is taken away from the
//! program. A capability is told to be unneeded only if each call that needs it shows itself in a trace.

use super::bounding_files::of_path;
use super::bounding_sockets::{of_bind, of_messages, of_option, of_socket};
use super::capability_set::{CapabilitySet, DEVICE, IPC_LOCK, SYS_ADMIN, SYS_NICE, SYS_PTRACE};
use super::guards::{NEW_NAMESPACES, fork_flags, sets_alarm_clock};
use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Class, Effect, Facility, Syscall, Thing};
use stride_track::{Seen, Tracker};

const NONE: CapabilitySet = CapabilitySet::NONE;

/// The capabilities that the call may have needed, whether it succeeded or not, and the call or the kind of file that is the reason.
pub fn may_need(
    call: &Call,
    row: &'static Syscall,
    seen: &Seen,
    tracker: &Tracker,
) -> [(CapabilitySet, &'static str); 2] {
    let path = seen.path.map_or((NONE, ""), |path| of_path(tracker.name(path), call, seen));
    [(of_call(call, row, seen, tracker), row.name), path]
}

fn of_call(call: &Call, row: &Syscall, seen: &Seen, tracker: &Tracker) -> CapabilitySet {
    let has = |effect| row.has_effect(effect);
    // The operations in a ring are no calls.
    if has(Effect::DrivesRing) {
        return CapabilitySet::TELLABLE;
    }
    let of_row =
        CapabilitySet::of(row.may_need).or(row.needs_capability().map_or(NONE, |one| CapabilitySet::of(&[one])));
    let when = |applies: bool, needed: CapabilitySet| if applies { needed } else { NONE };
    let one = |applies: bool, capability| when(applies, CapabilitySet::of(&[capability]));
    let mode = call.flags("mode") & c::S_IFMT;
    let changes_owner = ["owner", "user", "group"].iter().any(|name| call.arg(name).is_some_and(|id| id as i32 != -1));
    let memory = call.flags("flags") & (c::MAP_LOCKED | c::MAP_HUGETLB) != 0;
    let advice = call.arg("advice").unwrap_or(c::MADV_NORMAL);
    let poisons = [c::MADV_HWPOISON, c::MADV_SOFT_OFFLINE].contains(&advice);
    let wakes_machine = has(Effect::Watches) && call.field("event", "events").unwrap_or(0) & c::EPOLLWAKEUP != 0;
    let is_trusted = call.path("name").is_some_and(|name| name.starts_with(b"trusted."));
    let ipc = CapabilitySet::of(&[c::CAP_IPC_OWNER, c::CAP_SYS_ADMIN, c::CAP_IPC_LOCK]);
    [
        of_row,
        row.controls().map_or(NONE, of_facility),
        // (A program that has several users gives them files, often on another day.)
        when(has(Effect::SetsUser), CapabilitySet::of(&[c::CAP_SETUID, c::CAP_CHOWN])),
        when(has(Effect::SetsGroups), CapabilitySet::of(&[c::CAP_SETGID, c::CAP_CHOWN])),
        one(has(Effect::SendsSignal), c::CAP_KILL),
        when(has(Effect::SetsPriority), SYS_NICE),
        one(has(Effect::SetsAttributes) && changes_owner, c::CAP_CHOWN),
        one(has(Effect::MakesNode) && [c::S_IFCHR, c::S_IFBLK].contains(&mode), c::CAP_MKNOD),
        // (An attribute of a file: xattr(7).)
        when(is_trusted, SYS_ADMIN),
        when(has(Effect::Maps) && memory, IPC_LOCK),
        when(has(Effect::Advises) && poisons, SYS_ADMIN),
        one(wakes_machine, c::CAP_BLOCK_SUSPEND),
        one(sets_alarm_clock(call, row), c::CAP_WAKE_ALARM),
        when(row.class.intersects(Class::IPC), ipc),
        when(has(Effect::Forks), of_fork(call)),
        when(has(Effect::ControlsDescriptor), of_fcntl(call)),
        when(has(Effect::ControlsDevice), of_ioctl(call)),
        when(has(Effect::NamesThread), of_prctl(call)),
        when(has(Effect::SetsOfSocket), of_option(call)),
        when(row.makes() == Some(Thing::Socket), of_socket(call)),
        when(has(Effect::Binds), of_bind(call)),
        of_messages(call, row, seen, tracker),
    ]
    .into_iter()
    .fold(NONE, CapabilitySet::or)
}

fn of_facility(facility: Facility) -> CapabilitySet {
    CapabilitySet::of(&[match facility {
        Facility::Clock => c::CAP_SYS_TIME,
        Facility::HostName | Facility::Namespaces => c::CAP_SYS_ADMIN,
        Facility::Modules => c::CAP_SYS_MODULE,
        Facility::KernelLog => c::CAP_SYSLOG,
        Facility::Scheduling => c::CAP_SYS_NICE,
        Facility::Personality => return NONE,
    }])
}

fn of_fork(call: &Call) -> CapabilitySet {
    let namespaces = if fork_flags(call) & NEW_NAMESPACES == 0 { NONE } else { SYS_ADMIN };
    match call.field("cl_args", "set_tid_size") {
        Some(1..) => SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_CHECKPOINT_RESTORE])),
        _ => namespaces,
    }
}

fn of_fcntl(call: &Call) -> CapabilitySet {
    match call.flags("op") {
        c::F_SETLEASE => CapabilitySet::of(&[c::CAP_LEASE]),
        c::F_SETPIPE_SZ => SYS_ADMIN,
        _ => NONE,
    }
}

fn of_prctl(call: &Call) -> CapabilitySet {
    match call.flags("op") {
        c::PR_CAPBSET_DROP | c::PR_SET_SECUREBITS | c::PR_CAP_AMBIENT => CapabilitySet::of(&[c::CAP_SETPCAP]),
        c::PR_SET_SECCOMP => SYS_ADMIN,
        c::PR_SET_MM => SYS_ADMIN.or(CapabilitySet::of(&[c::CAP_CHECKPOINT_RESTORE])),
        c::PR_SCHED_CORE => SYS_PTRACE,
        _ => NONE,
    }
}

/// Requests that need no capability.
const HARMLESS: &[u64] = &[
    c::TCGETS,
    c::TCSETS,
    c::TCSETSW,
    c::TCSETSF,
    c::TCGETS2,
    c::TCSETS2,
    c::TCGETA,
    c::TCSBRK,
    c::TCSBRKP,
    c::TCXONC,
    c::TCFLSH,
    c::TIOCGPGRP,
    c::TIOCSPGRP,
    c::TIOCGSID,
    c::TIOCGWINSZ,
    c::TIOCSWINSZ,
    c::TIOCOUTQ,
    c::TIOCGPTN,
    c::TIOCSPTLCK,
    c::TIOCGPTPEER,
    c::TIOCNOTTY,
    c::FIONREAD,
    c::FIONBIO,
    c::FIOASYNC,
    c::FIOCLEX,
    c::FIONCLEX,
    c::FIOQSIZE,
    c::SIOCGIFNAME,
    c::SIOCGIFCONF,
    c::SIOCGIFFLAGS,
    c::SIOCGIFADDR,
    c::SIOCGIFNETMASK,
    c::SIOCGIFBRDADDR,
    c::SIOCGIFDSTADDR,
    c::SIOCGIFMTU,
    c::SIOCGIFHWADDR,
    c::SIOCGIFINDEX,
    c::SIOCATMARK,
    c::FICLONE,
    c::FICLONERANGE,
    c::FS_IOC_GETFLAGS,
    c::FS_IOC_FIEMAP,
    c::BLKGETSIZE64,
    c::BLKSSZGET,
];

fn of_ioctl(call: &Call) -> CapabilitySet {
    let request = call.flags("op") & 0xffff_ffff;
    match request {
        _ if HARMLESS.contains(&request) => NONE,
        // (To take a terminal from another session.)
        c::TIOCSCTTY => SYS_ADMIN,
        c::FS_IOC_SETFLAGS => CapabilitySet::of(&[c::CAP_LINUX_IMMUTABLE]),
        _ => DEVICE,
    }
}
