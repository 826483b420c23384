//! Addresses of sockets that the run used.

use super::resolve::from_root;
use super::users::{RunPrograms, UsedBy, UserId};
use std::collections::BTreeMap;
use stride_event::{Call, Tid};
use stride_syscalls::{Class, Effect, Flow, Syscall, Thing};
use stride_track::{ObjectKind, Seen, Tracker, address_name};

/// The addresses that are listed.
const MAX_ADDRESSES: usize = if cfg!(test) { 1 << 8 } else { 1 << 14 };

/// The way in which an address was used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dealing {
    Connected,
    Sent,
    Bound,
    Accepted,
}

impl Dealing {
    pub fn word(self) -> &'static str {
        match self {
            Dealing::Connected => "connect",
            Dealing::Sent => "send",
            Dealing::Bound => "bind",
            Dealing::Accepted => "accept",
        }
    }
}

/// The uses of one address.
#[derive(Debug, Default)]
pub struct AddressUse {
    pub times: u64,
    pub failed: u64,
    /// The latest error.
    pub errno: u32,
    pub users: UsedBy,
}

#[derive(Default)]
pub struct Network {
    /// `TCP 10.0.0.1:443`, `UNIX /run/x`: a protocol and a name.
    pub all: BTreeMap<(Dealing, Vec<u8>), AddressUse>,
    /// Uses of addresses for which there was no room.
    pub left_out: u64,
}

impl Network {
    /// The addresses of servers on this machine that were asked and do not belong to the run. (A server of the run may have let the kernel choose its port.)
    pub fn servers_outside(&self) -> Vec<&[u8]> {
        let is_bound = |address: &[u8]| {
            let key = (Dealing::Bound, address.to_vec());
            let any = |port: &[u8]| {
                let mut bound = self.all.keys().filter(|(dealing, _)| *dealing == Dealing::Bound);
                bound.any(|(_, address)| !address.starts_with(b"UNIX") && address.ends_with(port))
            };
            let port = address.iter().rposition(|byte| *byte == b':').map(|at| &address[at..]);
            self.all.contains_key(&key) || !address.starts_with(b"UNIX") && (any(b":0") || port.is_some_and(any))
        };
        let is_near =
            |address: &[u8]| [&b"UNIX "[..], b"TCP 127.", b"TCP [::1]:"].iter().any(|start| address.starts_with(start));
        let asked = self.all.iter().filter(|((dealing, address), it)| {
            *dealing == Dealing::Connected && it.failed < it.times && is_near(address) && !is_bound(address)
        });
        asked.map(|((_, address), _)| &address[..]).collect()
    }

    /// Notes the address that a call was given, or took a connection from.
    pub fn dealt(
        &mut self,
        call: &Call,
        row: &Syscall,
        errno: Option<u32>,
        seen: &Seen,
        (tracker, programs): (&Tracker, &mut RunPrograms),
    ) {
        if !row.class.intersects(Class::NETWORK) {
            return;
        }
        let dealing = if row.has_effect(Effect::Connects) {
            Dealing::Connected
        } else if row.has_effect(Effect::Binds) {
            Dealing::Bound
        } else if row.makes() == Some(Thing::Connection) && errno.is_none() {
            Dealing::Accepted
        } else if row.transfer().is_some_and(|transfer| transfer.flow == Flow::Out) {
            Dealing::Sent
        } else {
            return;
        };
        let Some(socket) = seen.object.filter(|object| tracker.kind(*object) == ObjectKind::Socket) else { return };
        let socket = tracker.name(socket);
        let address = if dealing == Dealing::Accepted {
            socket.to_vec()
        } else {
            let protocol = socket.split(|byte| *byte == b' ').next().unwrap_or_default();
            let Some(name) = address_name(call.message_address().unwrap_or_default()) else { return };
            [protocol, b" ", &placed(name, protocol, seen.pid, tracker)].concat()
        };
        let by = programs.of(seen.pid, tracker);
        self.used(dealing, address, errno, by);
    }

    fn used(&mut self, dealing: Dealing, address: Vec<u8>, errno: Option<u32>, by: UserId) {
        let key = (dealing, address);
        if self.all.len() >= MAX_ADDRESSES && !self.all.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let it = self.all.entry(key).or_default();
        it.times += 1;
        if let Some(errno) = errno {
            it.failed += 1;
            it.errno = errno;
        }
        it.users.add(by);
    }
}

/// The name of a socket. One in the file system is told from the root on, if it can be.
fn placed(name: Vec<u8>, protocol: &[u8], pid: Tid, tracker: &Tracker) -> Vec<u8> {
    if protocol != b"UNIX" || name.starts_with(b"@") {
        return name;
    }
    from_root(&name, pid, tracker).unwrap_or(name)
}
