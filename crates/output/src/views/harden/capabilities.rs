//! The capabilities that calls which succeeded may have needed (capabilities(7)), as far as the calls show that.

use super::guards::{NEW_NAMESPACES, fork_flags};
use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Facility, Syscall, Thing};
use stride_track::address_port;

/// Ports below this one are for programs with CAP_NET_BIND_SERVICE (net.ipv4.ip_unprivileged_port_start).
const FIRST_FREE_PORT: u16 = 1024;
/// The id that changes nothing.
const NOBODY: u64 = 0xffff_ffff;

/// The capability that a successful call needs. A thread that asks for the ids that it has needs none, which its call does not tell.
pub fn needed(call: &Call, row: &Syscall) -> Option<u64> {
    let has = |effect| row.has_effect(effect);
    if let Some(facility) = row.controls() {
        return of_facility(facility, call);
    }
    if let Some(capability) = row.needs_capability() {
        return Some(capability);
    }
    let sends_raw = call.flags("type") & c::SOCK_TYPE_MASK == c::SOCK_RAW || call.arg("domain") == Some(c::AF_PACKET);
    let is_netlink = call.arg("domain") == Some(c::AF_NETLINK);
    let kind = call.flags("mode") & c::S_IFMT;
    let changes_owner = ["owner", "user"].iter().any(|name| call.arg(name).is_some_and(|id| id & NOBODY != NOBODY));
    let is_negative = |name: &str| call.arg(name).is_some_and(|value| (value as i32) < 0);
    if has(Effect::SetsUser) {
        Some(c::CAP_SETUID)
    } else if has(Effect::SetsGroups) {
        Some(c::CAP_SETGID)
    } else if has(Effect::Binds) && binds_reserved_port(call) {
        Some(c::CAP_NET_BIND_SERVICE)
    } else if row.makes() == Some(Thing::Socket) && sends_raw && !is_netlink {
        Some(c::CAP_NET_RAW)
    } else if has(Effect::SetsAttributes) && changes_owner {
        Some(c::CAP_CHOWN)
    } else if has(Effect::MakesNode) && [c::S_IFCHR, c::S_IFBLK].contains(&kind) {
        Some(c::CAP_MKNOD)
    } else if has(Effect::SetsPriority) && (is_negative("prio") || is_negative("increment")) {
        Some(c::CAP_SYS_NICE)
    } else if has(Effect::Forks) && makes_namespaces(fork_flags(call) & NEW_NAMESPACES) {
        Some(c::CAP_SYS_ADMIN)
    } else {
        None
    }
}

fn of_facility(facility: Facility, call: &Call) -> Option<u64> {
    match facility {
        Facility::Clock => Some(c::CAP_SYS_TIME),
        Facility::HostName => Some(c::CAP_SYS_ADMIN),
        Facility::Modules => Some(c::CAP_SYS_MODULE),
        Facility::KernelLog => Some(c::CAP_SYSLOG),
        Facility::Scheduling => {
            let is_realtime = call.arg("policy").is_some_and(|policy| {
                [c::SCHED_FIFO, c::SCHED_RR].contains(&(policy & !c::SCHED_RESET_ON_FORK & NOBODY))
            });
            is_realtime.then_some(c::CAP_SYS_NICE)
        }
        Facility::Namespaces => {
            let flags = call.flags("flags") & (NEW_NAMESPACES | c::CLONE_NEWTIME);
            // (setns(2) has no flags if it takes any namespace.)
            (call.arg("fd").is_some() || makes_namespaces(flags)).then_some(c::CAP_SYS_ADMIN)
        }
        Facility::Personality => None,
    }
}

/// A namespace of users needs no capability, and gives the others to those who make it.
fn makes_namespaces(flags: u64) -> bool {
    flags != 0 && flags & c::CLONE_NEWUSER == 0
}

/// True if the call gives a socket a port that is not for all programs.
pub fn binds_reserved_port(call: &Call) -> bool {
    let Some(address) = call.message_address() else { return false };
    let Some(family) = address.first_chunk().map(|family| u64::from(u16::from_ne_bytes(*family))) else { return false };
    let is_reserved = |port: u16| port != 0 && port < FIRST_FREE_PORT;
    [c::AF_INET, c::AF_INET6].contains(&family) && address_port(address).is_some_and(is_reserved)
}
