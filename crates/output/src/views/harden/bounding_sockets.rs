//! Capabilities that calls on sockets may need: capabilities(7), socket(7), netlink(7).

use super::capabilities::binds_reserved_port;
use super::capability_set::{CapabilitySet, IDS, IPC_LOCK, NET_ADMIN, OTHER_FAMILY, PACKETS, SYS_ADMIN};
use stride_event::{Call, Memory, Phase, Piece};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Flow, Syscall};
use stride_track::{Seen, Tracker};

const NONE: CapabilitySet = CapabilitySet::NONE;

/// Options of sockets: socket(7), ip(7), ipv6(7), tcp(7).
pub fn of_option(call: &Call) -> CapabilitySet {
    const SOCKET: &[u64] = &[
        c::SO_DEBUG,
        c::SO_PRIORITY,
        c::SO_MARK,
        c::SO_RCVBUFFORCE,
        c::SO_SNDBUFFORCE,
        c::SO_BINDTODEVICE,
        c::SO_BINDTOIFINDEX,
        c::SO_BUSY_POLL,
        c::SO_PREFER_BUSY_POLL,
        c::SO_BUSY_POLL_BUDGET,
        c::SO_TXTIME,
        c::SO_RESERVE_MEM,
    ];
    const TCP: &[u64] = &[
        c::TCP_CONGESTION,
        c::TCP_REPAIR,
        c::TCP_REPAIR_QUEUE,
        c::TCP_QUEUE_SEQ,
        c::TCP_REPAIR_OPTIONS,
        c::TCP_REPAIR_WINDOW,
        c::TCP_ULP,
    ];
    const IP: &[u64] = &[c::IP_TRANSPARENT, c::IP_IPSEC_POLICY, c::IP_XFRM_POLICY, c::IP_HDRINCL, c::IP_OPTIONS];
    const IPV6: &[u64] = &[
        c::IPV6_TRANSPARENT,
        c::IPV6_IPSEC_POLICY,
        c::IPV6_XFRM_POLICY,
        c::IPV6_HOPOPTS,
        c::IPV6_RTHDR,
        c::IPV6_RTHDRDSTOPTS,
        c::IPV6_DSTOPTS,
        c::IPV6_2292PKTOPTIONS,
        c::IPV6_2292HOPOPTS,
        c::IPV6_2292DSTOPTS,
        c::IPV6_2292RTHDR,
        c::IPV6_HDRINCL,
        c::IPV6_FLOWLABEL_MGR,
        c::IP6T_SO_SET_REPLACE,
        c::IP6T_SO_SET_ADD_COUNTERS,
    ];
    /// Tables of filters and of routes for multicast have options of their own in ip(7).
    const LAST_OF_IP: u64 = 63;
    let option = call.flags("optname") & 0xffff_ffff;
    let (is_privileged, more) = match call.flags("level") & 0xffff_ffff {
        c::SOL_SOCKET if option == c::SO_ZEROCOPY => return IPC_LOCK,
        c::SOL_SOCKET => (SOCKET.contains(&option), NONE),
        c::IPPROTO_TCP => (TCP.contains(&option), NONE),
        c::IPPROTO_UDP => (false, NONE),
        c::IPPROTO_IP => (IP.contains(&option) || option > LAST_OF_IP, NONE),
        c::IPPROTO_IPV6 => (IPV6.contains(&option) || option >= c::MRT6_BASE, NONE),
        _ => (true, CapabilitySet::of(&[c::CAP_NET_BROADCAST, c::CAP_AUDIT_READ, c::CAP_SYS_ADMIN])),
    };
    if is_privileged { PACKETS.or(more) } else { NONE }
}

pub fn of_socket(call: &Call) -> CapabilitySet {
    let is_raw = call.flags("type") & c::SOCK_TYPE_MASK == c::SOCK_RAW;
    match call.flags("domain") & 0xffff_ffff {
        c::AF_UNIX => NONE,
        c::AF_INET | c::AF_INET6 if is_raw => PACKETS,
        c::AF_INET | c::AF_INET6 => NONE,
        c::AF_NETLINK => match call.flags("protocol") & 0xffff_ffff {
            c::NETLINK_ROUTE | c::NETLINK_KOBJECT_UEVENT => NONE,
            c::NETLINK_AUDIT => {
                CapabilitySet::of(&[c::CAP_AUDIT_CONTROL, c::CAP_AUDIT_READ, c::CAP_AUDIT_WRITE, c::CAP_NET_ADMIN])
            }
            _ => NET_ADMIN.or(SYS_ADMIN),
        },
        _ => OTHER_FAMILY,
    }
}

pub fn of_bind(call: &Call) -> CapabilitySet {
    let family = call.message_address().and_then(|address| address.first_chunk().copied()).map(u16::from_ne_bytes);
    let needs = match family.map(u64::from) {
        Some(c::AF_INET | c::AF_INET6) => binds_reserved_port(call),
        Some(c::AF_UNIX | c::AF_NETLINK) => false,
        _ => true,
    };
    if needs { CapabilitySet::of(&[c::CAP_NET_BIND_SERVICE]) } else { NONE }
}

/// Messages to the kernel that change something, and what is said of the sender beside a message.
pub fn of_messages(call: &Call, row: &Syscall, seen: &Seen, tracker: &Tracker) -> CapabilitySet {
    /// Further messages of one call are not looked at.
    const MOST: u64 = 64;
    if row.transfer().is_none_or(|transfer| transfer.flow != Flow::Out) {
        return NONE;
    }
    let is_netlink = seen.object.is_some_and(|object| tracker.name(object).starts_with(b"NETLINK"));
    let asks = |message: &Piece| {
        // `nlmsg_type` of netlink(7): of four kinds for each object, the third asks for it (rtnetlink(7)).
        let header = call.blocks.prefix(Phase::Entry, message.addr, 6);
        header.get(4..6).is_some_and(|kind| u16::from_ne_bytes([kind[0], kind[1]]) & 3 == 2)
    };
    let changes = is_netlink && !call.messages(MOST).iter().all(asks);
    let beside = call.ancillary(MOST).iter().map(|piece| of_ancillary(call, piece)).fold(NONE, CapabilitySet::or);
    beside.or(if changes { NET_ADMIN } else { NONE })
}

/// Ancillary data: cmsg(3).
fn of_ancillary(call: &Call, piece: &Piece) -> CapabilitySet {
    let word = call.abi.word();
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let unknown = IDS.or(PACKETS);
    let mut rest = call.blocks.prefix(Phase::Entry, piece.addr, piece.len.min(1 << 16) as usize);
    if (rest.len() as u64) < piece.len {
        return unknown;
    }
    let mut needed = NONE;
    while let Some((len, kind)) = rest.split_at_checked(word).filter(|(_, rest)| rest.len() >= 8) {
        needed = needed.or(match (number(&kind[..4]), number(&kind[4..8])) {
            (c::SOL_SOCKET, c::SCM_CREDENTIALS) => IDS,
            (c::SOL_SOCKET, c::SCM_RIGHTS) => NONE,
            (c::IPPROTO_UDP, _) | (c::IPPROTO_IP, c::IP_PKTINFO) | (c::IPPROTO_IPV6, c::IPV6_PKTINFO) => NONE,
            _ => unknown,
        });
        let len = (number(len) as usize).max(word + 8).next_multiple_of(word);
        rest = rest.get(len..).unwrap_or_default();
    }
    needed
}
