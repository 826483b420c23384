//! Socket addresses in words.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;

/// A `struct sockaddr` as bytes: an address and port, or a socket's name in the file system. Others have none.
pub fn name(bytes: &[u8]) -> Option<Vec<u8>> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let port = || Some(u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?));
    match family {
        AF_INET => {
            let ip: [u8; 4] = *bytes.get(4..)?.first_chunk()?;
            Some(SocketAddr::from((Ipv4Addr::from(ip), port()?)).to_string().into_bytes())
        }
        AF_INET6 => {
            let ip: [u8; 16] = *bytes.get(8..)?.first_chunk()?;
            Some(SocketAddr::from((Ipv6Addr::from(ip), port()?)).to_string().into_bytes())
        }
        AF_UNIX => match &bytes[2..] {
            [] | [0] => None,
            // Of the abstract namespace, which is written so.
            [0, rest @ ..] => Some([b"@", rest].concat()),
            path => Some(path.split(|b| *b == 0).next().unwrap_or_default().to_vec()),
        },
        _ => None,
    }
}

/// What a socket is called before it has an address.
pub fn protocol(domain: u64, kind: u64, protocol: u64) -> &'static str {
    const SOCK_STREAM: u64 = 1;
    const SOCK_DGRAM: u64 = 2;
    const IPPROTO_ICMP: u64 = 1;
    match (domain as u16, kind & 0xf) {
        (AF_UNIX, _) => "UNIX",
        (AF_INET | AF_INET6, _) if protocol == IPPROTO_ICMP => "ICMP",
        (AF_INET | AF_INET6, SOCK_STREAM) => "TCP",
        (AF_INET | AF_INET6, SOCK_DGRAM) => "UDP",
        (16, _) => "NETLINK",
        (17, _) => "PACKET",
        (38, _) => "ALG",
        (40, _) => "VSOCK",
        _ => "SOCKET",
    }
}

/// The other end in a socket's name, as the tracker, an engine or /proc gives it: the address it is connected to, or the host that a
/// client came from. The client's port is chance.
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
        // /proc's: TCP:[127.0.0.1:40000->127.0.0.1:80].
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
