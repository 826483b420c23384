//! Socket addresses in words.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use stride_event::Call;
use stride_syscalls::uapi::{consts as c, structs_x86_64 as layouts};

/// The offsets of the members of addresses, which are the same on all ABIs.
const PORT: usize = layouts::sockaddr_in.at("sin_port").offset as usize;
const ADDRESS: usize = layouts::sockaddr_in.at("sin_addr").offset as usize;
const ADDRESS6: usize = layouts::sockaddr_in6.at("sin6_addr").offset as usize;
const PATH: usize = layouts::sockaddr_un.at("sun_path").offset as usize;

/// The address and port in a `struct sockaddr`, or a socket's name in the file system, as bytes. Other families have
/// none.
pub fn name(bytes: &[u8]) -> Option<Vec<u8>> {
    match u16::from_ne_bytes(*bytes.first_chunk()?).into() {
        c::AF_INET => {
            let ip: [u8; 4] = *bytes.get(ADDRESS..)?.first_chunk()?;
            Some(SocketAddr::from((Ipv4Addr::from(ip), port(bytes)?)).to_string().into_bytes())
        }
        c::AF_INET6 => {
            let ip: [u8; 16] = *bytes.get(ADDRESS6..)?.first_chunk()?;
            Some(SocketAddr::from((Ipv6Addr::from(ip), port(bytes)?)).to_string().into_bytes())
        }
        c::AF_UNIX => match &bytes[PATH..] {
            [] | [0] => None,
            // A name in the abstract namespace, written with an `@`.
            [0, rest @ ..] => Some([b"@", rest].concat()),
            path => Some(path.split(|b| *b == 0).next().unwrap_or_default().to_vec()),
        },
        _ => None,
    }
}

/// The port of an internet address, which is in the same place in both families.
pub fn port(bytes: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(PORT..)?.first_chunk()?))
}

/// The name of a socket before it has an address: from the arguments of the call that made it.
pub fn protocol(call: &Call) -> &'static str {
    protocol_of(call.flags("domain"), call.flags("type"), call.arg("protocol"))
}

/// The same from these arguments.
pub fn protocol_of(domain: u64, kind: u64, protocol: Option<u64>) -> &'static str {
    // (The bits above the mask are flags.)
    match (domain, kind & c::SOCK_TYPE_MASK) {
        (c::AF_UNIX, c::SOCK_DGRAM) => "UNIX-DGRAM",
        (c::AF_UNIX, _) => "UNIX",
        (c::AF_INET | c::AF_INET6, _) if protocol == Some(c::IPPROTO_ICMP) => "ICMP",
        (c::AF_INET | c::AF_INET6, c::SOCK_STREAM) => "TCP",
        (c::AF_INET | c::AF_INET6, c::SOCK_DGRAM) => "UDP",
        (c::AF_NETLINK, _) => "NETLINK",
        (c::AF_PACKET, _) => "PACKET",
        (c::AF_ALG, _) => "ALG",
        (c::AF_VSOCK, _) => "VSOCK",
        _ => "SOCKET",
    }
}

/// The other end in a socket's name, as the tracker, an engine or /proc writes it: the address that it is connected
/// to, or the host that a client came from (a client's port is chance).
pub fn peer(name: &[u8]) -> Option<&[u8]> {
    let after = |arrow: &str| {
        let at = name.windows(arrow.len()).rposition(|part| part == arrow.as_bytes())?;
        Some(&name[at + arrow.len()..])
    };
    if let Some(client) = after(" ← ").filter(|client| *client != b"clients") {
        let port = client.iter().rposition(|b| *b == b':').filter(|at| client[at + 1..].iter().all(u8::is_ascii_digit));
        return Some(port.map_or(client, |at| &client[..at]));
    }
    if name.starts_with(b"TCP") || name.starts_with(b"UDP") {
        // As in /proc: TCP:[127.0.0.1:40000->127.0.0.1:80].
        return after(" → ").or_else(|| after("->")?.strip_suffix(b"]"));
    }
    after(" → ")
}

#[cfg(test)]
mod tests {
    use super::{name, peer};

    #[test]
    fn peers() {
        for (name, other) in [
            ("TCP → 127.0.0.1:80", Some("127.0.0.1:80")),
            ("TCP 127.0.0.1:6379 ← 10.0.0.1:40000", Some("10.0.0.1")),
            ("TCP [::1]:80 ← [::1]:40000", Some("[::1]")),
            ("TCP 127.0.0.1:6379 ← clients", None),
            ("TCP:[127.0.0.1:40000->127.0.0.1:80]", Some("127.0.0.1:80")),
            ("UNIX → /run/x", Some("/run/x")),
            ("UNIX /run/a ← b ← /run/x:y", Some("/run/x:y")),
            ("TCP socket", None),
            ("UNIX-STREAM:[1->2]", None),
        ] {
            assert_eq!(peer(name.as_bytes()), other.map(str::as_bytes), "{name}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(name(&[2, 0, 0, 80, 127, 0, 0, 1]).unwrap(), b"127.0.0.1:80");
        let mut six = [0; 28];
        (six[0], six[3], six[23]) = (10, 53, 1);
        assert_eq!(name(&six).unwrap(), b"[::1]:53");
        assert_eq!(name(b"\x01\0/run/x\0junk").unwrap(), b"/run/x");
        assert_eq!(name(b"\x01\0\0bus").unwrap(), b"@bus");
        for nothing in [&b""[..], b"\x02", b"\x01\0", b"\x02\0\0\x50\x7f", b"\x10\0aaaaaaaaaa"] {
            assert_eq!(name(nothing), None);
        }
    }
}
