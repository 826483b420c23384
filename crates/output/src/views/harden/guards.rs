//! Facilities that a rule can take away from a service as a whole, and the calls that need them.

use serde::{Deserialize, Serialize};
use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Facility, Syscall};

/// A facility that few services need.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    Clock,
    HostName,
    KernelModules,
    KernelLog,
    Personality,
    Realtime,
    Namespaces,
    WritableCode,
    SetIdBits,
    KernelTunables,
    ControlGroups,
    Devices,
    SharedTmp,
    HomeLooked,
    HomeRead,
    HomeWritten,
    OtherPrograms,
    TracedProcesses,
}

/// A rule of a unit that takes a facility away (systemd.exec(5)).
pub struct GuardRule {
    /// The line if nothing needs the facility.
    pub strict: &'static str,
    /// For each guard that may have been needed, those first that leave the least: a weaker line, if there is one.
    pub needed: &'static [(Guard, Option<&'static str>)],
}

impl GuardRule {
    /// All of them, in the order in which they are written.
    pub const ALL: [GuardRule; 15] = [
        unless(&[(Guard::OtherPrograms, None)], "NoNewPrivileges=yes"),
        unless(&[(Guard::SharedTmp, None)], "PrivateTmp=yes"),
        unless(&[(Guard::Devices, None)], "PrivateDevices=yes"),
        unless(
            &[
                (Guard::HomeWritten, None),
                (Guard::HomeRead, Some("ProtectHome=read-only")),
                // Nothing is there, and so it is in an empty home.
                (Guard::HomeLooked, Some("ProtectHome=tmpfs")),
            ],
            "ProtectHome=yes",
        ),
        unless(&[(Guard::Clock, None)], "ProtectClock=yes"),
        unless(&[(Guard::HostName, None)], "ProtectHostname=yes"),
        unless(&[(Guard::KernelTunables, None)], "ProtectKernelTunables=yes"),
        unless(&[(Guard::KernelModules, None)], "ProtectKernelModules=yes"),
        unless(&[(Guard::KernelLog, None)], "ProtectKernelLogs=yes"),
        unless(&[(Guard::ControlGroups, None)], "ProtectControlGroups=yes"),
        unless(&[(Guard::Namespaces, None)], "RestrictNamespaces=yes"),
        unless(&[(Guard::Realtime, None)], "RestrictRealtime=yes"),
        unless(&[(Guard::SetIdBits, None)], "RestrictSUIDSGID=yes"),
        unless(&[(Guard::WritableCode, None)], "MemoryDenyWriteExecute=yes"),
        unless(&[(Guard::Personality, None)], "LockPersonality=yes"),
    ];

    /// `ProtectHome`
    pub fn name(&self) -> &'static str {
        self.strict.split('=').next().unwrap_or(self.strict)
    }
}

const fn unless(needed: &'static [(Guard, Option<&'static str>)], strict: &'static str) -> GuardRule {
    GuardRule { strict, needed }
}

/// The bits of clone(2) that make namespaces. (CLONE_NEWTIME is none: that bit belongs to the number of the signal there.)
pub const NEW_NAMESPACES: u64 = c::CLONE_NEWNS
    | c::CLONE_NEWCGROUP
    | c::CLONE_NEWUTS
    | c::CLONE_NEWIPC
    | c::CLONE_NEWUSER
    | c::CLONE_NEWPID
    | c::CLONE_NEWNET;

/// The flags of a call that makes a thread or a process, which clone3(2) has in a struct.
pub fn fork_flags(call: &Call) -> u64 {
    call.field("cl_args", "flags").unwrap_or_else(|| call.flags("flags"))
}

/// True if the call makes a timer that wakes the machine from sleep.
pub fn sets_alarm_clock(call: &Call, row: &Syscall) -> bool {
    let is_alarm = call
        .arg("clockid")
        .is_some_and(|clock| [c::CLOCK_REALTIME_ALARM, c::CLOCK_BOOTTIME_ALARM].contains(&(clock & 0xffff_ffff)));
    is_alarm && !row.has_effect(Effect::ReadsClock)
}

/// The facility that a call needs, whether it succeeded or not.
pub fn needed(call: &Call, row: &Syscall) -> Option<Guard> {
    if let Some(facility) = row.controls() {
        return of_facility(facility, call);
    }
    let has = |effect| row.has_effect(effect);
    if has(Effect::Forks) && fork_flags(call) & NEW_NAMESPACES != 0 {
        return Some(Guard::Namespaces);
    }
    if sets_alarm_clock(call, row) {
        return Some(Guard::Clock);
    }
    let prot = call.flags("prot");
    if prot & c::PROT_EXEC != 0 && (has(Effect::Protects) || has(Effect::Maps) && prot & c::PROT_WRITE != 0) {
        return Some(Guard::WritableCode);
    }
    let sets_mode = has(Effect::SetsAttributes)
        || has(Effect::MakesDirectory)
        || has(Effect::MakesNode)
        || call.open_flags() & c::O_CREAT != 0;
    (sets_mode && call.flags("mode") & (c::S_ISUID | c::S_ISGID) != 0).then_some(Guard::SetIdBits)
}

fn of_facility(facility: Facility, call: &Call) -> Option<Guard> {
    /// personality(2) only asks with this argument.
    const ASKS: u64 = 0xffff_ffff;
    let is_ordinary = |policy: u64| {
        [c::SCHED_NORMAL, c::SCHED_BATCH, c::SCHED_IDLE].contains(&(policy & !c::SCHED_RESET_ON_FORK & 0xffff_ffff))
    };
    match facility {
        Facility::Clock => Some(Guard::Clock),
        Facility::HostName => Some(Guard::HostName),
        Facility::Modules => Some(Guard::KernelModules),
        Facility::KernelLog => Some(Guard::KernelLog),
        Facility::Personality => (![0, ASKS].contains(&call.flags("persona"))).then_some(Guard::Personality),
        // (The policy of sched_setattr(2) is in its struct, behind the size.)
        Facility::Scheduling => {
            let policy = call.arg("policy").or_else(|| {
                let attr: [u8; 4] = call.bytes("attr", 8).get(4..8)?.try_into().ok()?;
                Some(u32::from_ne_bytes(attr).into())
            });
            (!policy.is_some_and(is_ordinary)).then_some(Guard::Realtime)
        }
        Facility::Namespaces => Some(Guard::Namespaces),
    }
}
