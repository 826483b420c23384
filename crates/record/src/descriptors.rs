//! The files and sockets that a call's descriptors referred to, if the engine looked them up.

use crate::stream::{BatchSource, Malformed, Streams};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use stride_event::{Descriptor, Detail};

/// Descriptors of one call. poll(2) may be given as many as there are.
const MAX: u64 = 1 << 16;
/// Bytes of their paths together.
const MAX_TEXT: usize = 2 << 20;

pub fn put(to: &mut Streams, list: &[Descriptor]) {
    let mut room = MAX_TEXT;
    let fits = |it: &&Descriptor| {
        let rest = room.checked_sub(it.path.len());
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let list = &list[..list.iter().take(MAX as usize).take_while(fits).count()];
    to.uint(list.len() as u64);
    for it in list {
        to.int(it.fd.into());
        to.byte(u8::from(it.made) | u8::from(it.deleted) << 1);
        to.bytes(&it.path);
        to.uint(it.mode.into());
        to.uint(it.inode);
        to.uint(it.device.0.into());
        to.uint(it.device.1.into());
        to.bytes(&it.name);
        put_detail(to, &it.detail);
    }
}

pub fn get(from: &mut BatchSource, list: &mut Vec<Descriptor>) -> Result<(), Malformed> {
    list.clear();
    let len = from.uint()?;
    if len > MAX {
        return Err(Malformed("a call has too many descriptors"));
    }
    for _ in 0..len {
        let fd = i32::try_from(from.int()?).map_err(|_| Malformed("a descriptor is impossible"))?;
        let flags = from.byte()?;
        list.push(Descriptor {
            fd,
            made: flags & 1 != 0,
            deleted: flags & 2 != 0,
            path: from.bytes()?.to_vec(),
            mode: from.small()?,
            inode: from.uint()?,
            device: (from.small()?, from.small()?),
            name: from.bytes()?.to_vec(),
            detail: get_detail(from)?,
        });
    }
    Ok(())
}

fn put_detail(to: &mut Streams, detail: &Detail) {
    match detail {
        Detail::None => to.byte(0),
        Detail::Eventfd { count, id, semaphore } => {
            to.byte(1);
            to.uint(*count);
            to.uint(*id);
            to.byte((*semaphore).into());
        }
        Detail::Signalfd(mask) => {
            to.byte(2);
            to.uint(*mask);
        }
        Detail::Pidfd(pid) => {
            to.byte(3);
            to.int((*pid).into());
        }
        Detail::Terminal(index) => {
            to.byte(4);
            to.uint((*index).into());
        }
        Detail::Netlink { protocol, port } => {
            to.byte(5);
            to.uint((*protocol).into());
            to.uint((*port).into());
        }
        Detail::Unix { peer, name } => {
            to.byte(6);
            to.uint(*peer);
            to.bytes(name);
        }
        Detail::Inet { local, remote } => {
            to.byte(7);
            put_end(to, local);
            to.byte(remote.is_some().into());
            if let Some(remote) = remote {
                put_end(to, remote);
            }
        }
    }
}

fn get_detail(from: &mut BatchSource) -> Result<Detail, Malformed> {
    Ok(match from.byte()? {
        0 => Detail::None,
        1 => Detail::Eventfd { count: from.uint()?, id: from.uint()?, semaphore: from.byte()? != 0 },
        2 => Detail::Signalfd(from.uint()?),
        3 => Detail::Pidfd(i32::try_from(from.int()?).map_err(|_| Malformed("a process has an impossible id"))?),
        4 => Detail::Terminal(from.small()?),
        5 => Detail::Netlink { protocol: from.small()?, port: from.small()? },
        6 => Detail::Unix { peer: from.uint()?, name: from.bytes()?.to_vec() },
        7 => {
            let local = get_end(from)?;
            let remote = if from.byte()? != 0 { Some(get_end(from)?) } else { None };
            Detail::Inet { local, remote }
        }
        _ => return Err(Malformed("a descriptor has an unknown detail")),
    })
}

fn put_end(to: &mut Streams, (ip, port): &(IpAddr, u16)) {
    match ip {
        IpAddr::V4(ip) => to.bytes(&ip.octets()),
        IpAddr::V6(ip) => to.bytes(&ip.octets()),
    }
    to.uint((*port).into());
}

fn get_end(from: &mut BatchSource) -> Result<(IpAddr, u16), Malformed> {
    let bytes = from.bytes()?;
    let ip = match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
        (Ok(bytes), _) => IpAddr::V4(Ipv4Addr::from(bytes)),
        (_, Ok(bytes)) => IpAddr::V6(Ipv6Addr::from(bytes)),
        _ => return Err(Malformed("an address has an impossible length")),
    };
    let port = u16::try_from(from.uint()?).map_err(|_| Malformed("a port is impossible"))?;
    Ok((ip, port))
}
