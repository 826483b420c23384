//! What the world calls things, in the words that following them leads to: an epoll instance that was there before tracing began goes
//! by the same name as one that was made since.

use std::borrow::Cow;

/// For a name that /proc or socket diagnostics gave.
pub fn as_followed(name: &[u8]) -> Cow<'_, [u8]> {
    if let Some(kind) = name.strip_prefix(b"anon_inode:") {
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

/// What stands after the last slash of a path.
pub fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or_default()
}

/// What stands before it.
pub fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| *b == b'/') {
        Some(0) => b"/",
        Some(slash) => &path[..slash],
        None => b".",
    }
}

/// `TCP:[127.0.0.1:80->127.0.0.1:4711]`: of an internet socket its peer, or, where it has none, its own address.
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
