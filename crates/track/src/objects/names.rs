//! Names of objects that were looked up, in the form that followed objects have: an epoll instance from before tracing gets
//! the same name as a later one.

use std::borrow::Cow;

/// The start of the names that /proc has for things which differ by nothing.
pub const ANONYMOUS: &[u8] = b"anon_inode:";

/// Translates a name from /proc or from socket diagnostics.
pub fn as_followed(name: &[u8]) -> Cow<'_, [u8]> {
    if let Some(kind) = name.strip_prefix(ANONYMOUS) {
        let kind = kind.strip_prefix(b"[").and_then(|kind| kind.strip_suffix(b"]")).unwrap_or(kind);
        return Cow::Borrowed(match kind {
            b"eventpoll" => b"epoll",
            b"perf_event" => b"perf event",
            b"bpf-map" | b"bpf-prog" | b"bpf_link" => b"bpf",
            kind => kind,
        });
    }
    match socket(name) {
        Some(name) => Cow::Owned(name),
        None => Cow::Borrowed(name),
    }
}

/// The part of a path after its last slash.
pub fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or_default()
}

/// The part before it.
pub fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| *b == b'/') {
        Some(0) => b"/",
        Some(slash) => &path[..slash],
        None => b".",
    }
}

/// The common name of a listening socket's connections, if this is one of them: `TCP 0.0.0.0:80 ← clients`.
pub fn clients(name: &[u8]) -> Option<Vec<u8>> {
    const ARROW: &[u8] = " ← ".as_bytes();
    let at = name.windows(ARROW.len()).rposition(|part| part == ARROW)?;
    Some([&name[..at + ARROW.len()], b"clients"].concat())
}

/// `TCP:[127.0.0.1:80->127.0.0.1:4711]`: an internet socket's peer, or its own address if it has no peer.
fn socket(name: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(name).ok()?;
    let (protocol, ends) = text.strip_suffix(']')?.split_once(":[")?;
    let protocol = protocol.strip_suffix("v6").unwrap_or(protocol);
    if !matches!(protocol, "TCP" | "UDP") {
        return None;
    }
    let name = match ends.split_once("->") {
        Some((_, peer)) => format!("{protocol} → {peer}"),
        None => format!("{protocol} {ends}"),
    };
    Some(name.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::as_followed;

    #[test]
    fn names() {
        for (theirs, ours) in [
            ("anon_inode:[eventpoll]", "epoll"),
            ("anon_inode:[timerfd]", "timerfd"),
            ("anon_inode:inotify", "inotify"),
            ("TCP:[127.0.0.1:80->127.0.0.1:4711]", "TCP → 127.0.0.1:4711"),
            ("TCPv6:[[::]:6379]", "TCP [::]:6379"),
            ("UNIX-STREAM:[123->456]", "UNIX-STREAM:[123->456]"),
            ("/etc/passwd", "/etc/passwd"),
        ] {
            assert_eq!(as_followed(theirs.as_bytes()), ours.as_bytes());
        }
    }
}
