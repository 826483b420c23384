//! Names that can be compared between two runs. A part that differs each time becomes a placeholder, such as the
//! process id in `/proc/4711/maps` or the random part of `/tmp/ccQ2w8Xz.s`.
//!
//! In doubt, a name stays as it is: two files with permanent names must never become one.

use std::borrow::Cow;
use std::collections::HashSet;
use stride_event::Tid;

/// Directories of temporary files.
const TEMPORARY: [&[u8]; 3] = [b"/tmp/", b"/var/tmp/", b"/dev/shm/"];
/// Directories in which no file is named after a process id.
const INSTALLED: [&[u8]; 8] = [b"/usr/", b"/lib", b"/bin/", b"/sbin/", b"/opt/", b"/etc/", b"/sys/", b"/dev/"];

/// `ids` are the ids of the run's processes and threads. `removed` says that the run removed the file.
pub fn normal<'n>(name: &'n [u8], ids: &HashSet<Tid>, removed: bool) -> Cow<'n, [u8]> {
    let normal = by_its_looks(name, ids);
    match last_drawn(&normal).filter(|_| removed) {
        Some((at, len)) => Cow::Owned(put(&normal, at, len, &b"XXXXXXXXXX"[..len])),
        None => normal,
    }
}

/// Finds the probably random part of a temporary file's name: a run of as many letters and digits as programs draw.
fn last_drawn(path: &[u8]) -> Option<(usize, usize)> {
    TEMPORARY.iter().find(|dir| path.starts_with(dir))?;
    let start = path.iter().rposition(|b| *b == b'/')? + 1;
    let mut at = start;
    for run in path[start..].split(|b| !b.is_ascii_alphanumeric() && *b != b'_') {
        if matches!(run.len(), 6 | 8 | 10) && run.iter().any(|b| !b.is_ascii_lowercase()) {
            return Some((at, run.len()));
        }
        at += run.len() + 1;
    }
    None
}

fn by_its_looks<'n>(name: &'n [u8], ids: &HashSet<Tid>) -> Cow<'n, [u8]> {
    let name = name.strip_suffix(b" (deleted)").unwrap_or(name);
    if name.starts_with(b"pipe:[") {
        return Cow::Borrowed(b"pipe");
    }
    if name.starts_with(b"socket:[") {
        return Cow::Borrowed(b"socket");
    }
    if let Some((protocol, rest)) = socket(name) {
        let local = rest.iter().position(|b| *b == b'/' || *b == b'@');
        let tidied = match local {
            Some(at) if protocol == b"UNIX" => [&rest[..at], &local_socket(&rest[at..], ids)[..]].concat(),
            _ => addresses(rest),
        };
        return Cow::Owned([protocol, &tidied].concat());
    }
    if !name.starts_with(b"/") {
        return Cow::Borrowed(name);
    }
    path(name, ids)
}

/// Splits a socket's name into the protocol and the rest.
fn socket(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = name.iter().position(|b| *b == b' ')?;
    let (protocol, rest) = name.split_at(end);
    let known = matches!(protocol, b"TCP" | b"TCPv6" | b"UDP" | b"UDPv6" | b"UNIX" | b"SOCKET" | b"VSOCK");
    known.then_some((protocol, rest))
}

fn local_socket<'n>(name: &'n [u8], ids: &HashSet<Tid>) -> Cow<'n, [u8]> {
    match name {
        // The name that the kernel chooses when a program binds without one.
        [b'@', rest @ ..] if rest.len() == 5 && rest.iter().all(u8::is_ascii_hexdigit) => Cow::Borrowed(b"@AUTO"),
        [b'@', b'/', ..] => Cow::Owned([b"@", &path(&name[1..], ids)[..]].concat()),
        [b'/', ..] => path(name, ids),
        _ => Cow::Borrowed(name),
    }
}

/// Replaces temporary ports: a client's port, and a local port from the range from which Linux assigns ports.
fn addresses(text: &[u8]) -> Vec<u8> {
    const CLIENT: &[u8] = "←".as_bytes();
    let mut out = Vec::with_capacity(text.len());
    let mut client = false;
    for (i, word) in text.split(|b| *b == b' ').enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        let colon = word.iter().rposition(|b| *b == b':').filter(|at| at + 1 < word.len());
        let port = colon.and_then(|at| std::str::from_utf8(&word[at + 1..]).ok()?.parse::<u16>().ok());
        let (Some(at), Some(port)) = (colon, port) else {
            client |= word == CLIENT;
            out.extend_from_slice(word);
            continue;
        };
        let host = &word[..at];
        let here = host.starts_with(b"127.") || matches!(host, b"[::1]" | b"0.0.0.0" | b"[::]");
        if client || here && (32_768..=60_999).contains(&port) {
            out.extend_from_slice(host);
            out.extend_from_slice(b":PORT");
        } else {
            out.extend_from_slice(word);
        }
    }
    out
}

fn path<'n>(name: &'n [u8], ids: &HashSet<Tid>) -> Cow<'n, [u8]> {
    let temporary = TEMPORARY.iter().find(|dir| name.starts_with(dir)).map_or(usize::MAX, |dir| dir.len());
    let installed = INSTALLED.iter().any(|dir| name.starts_with(dir)) && temporary == usize::MAX;
    let mut out: Option<Vec<u8>> = None;
    let mut start = 0;
    // The original parts before this one, the nearest first.
    let mut before: [&[u8]; 3] = [b""; 3];
    for part in name.split(|b| *b == b'/') {
        let in_temporary = start >= temporary || name.starts_with(b"/memfd:");
        let normal = special(&before, part)
            .or_else(|| temporary_name(part, in_temporary))
            .or_else(|| (!installed).then(|| with_id(part, ids, in_temporary)).flatten());
        match (&mut out, normal) {
            (None, None) => {}
            (None, Some(normal)) => out = Some([&name[..start], &normal].concat()),
            (Some(out), normal) => {
                out.push(b'/');
                out.extend_from_slice(normal.as_deref().unwrap_or(part));
            }
        }
        start += part.len() + 1;
        before = [part, before[0], before[1]];
    }
    out.map_or(Cow::Borrowed(name), Cow::Owned)
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn is_hex(text: &[u8]) -> bool {
    text.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b))
}

/// Parts that the kernel chooses or that identify a build.
fn special(before: &[&[u8]; 3], part: &[u8]) -> Option<Vec<u8>> {
    let text = match before {
        // Process 1 has the same id in each run.
        [b"proc", b"", _] if is_number(part) && part != b"1" => &b"PID"[..],
        [b"task", _, b"proc"] if is_number(part) => b"TID",
        [b"map_files", ..] if part.contains(&b'-') => b"ADDR-ADDR",
        [b"pts", b"dev", _] if is_number(part) => b"N",
        [b".build-id", ..] if part.len() == 2 && is_hex(part) => b"XX",
        [_, b".build-id", _] => {
            let stem = part.split(|b| *b == b'.').next().unwrap_or_default();
            if stem.len() < 14 || !is_hex(stem) {
                return None;
            }
            return Some([b"BUILDID", &part[stem.len()..]].concat());
        }
        _ => {
            let scope = part.strip_prefix(b"session-")?.strip_suffix(b".scope")?;
            return is_number(scope).then(|| b"session-N.scope".to_vec());
        }
    };
    Some(text.to_vec())
}

/// The runs of letters and digits, each with its position.
fn runs(part: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    part.split(|b| !b.is_ascii_alphanumeric()).map(move |run| {
        let start = at;
        at += run.len() + 1;
        (start, run)
    })
}

fn put(part: &[u8], at: usize, len: usize, placeholder: &[u8]) -> Vec<u8> {
    [&part[..at], placeholder, &part[at + len..]].concat()
}

/// Replaces the random part of a name that mkstemp(3) or a similar function made.
fn temporary_name(part: &[u8], in_temporary: bool) -> Option<Vec<u8>> {
    let alnum = |text: &[u8]| text.iter().all(u8::is_ascii_alphanumeric);
    // Prefixes that programs use only for temporary files, and the number of random letters after them.
    const KNOWN: [(&[u8], usize); 4] = [(b"tmp_obj_", 6), (b"tmp_pack_", 6), (b"tmp_idx_", 6), (b".goutputstream-", 6)];
    for (prefix, len) in KNOWN {
        if part.strip_prefix(prefix).is_some_and(|rest| rest.len() == len && alnum(rest)) {
            return Some(put(part, prefix.len(), len, b"XXXXXX"));
        }
    }
    // Python draws eight small letters, digits and underscores.
    if let Some(rest) = part.strip_prefix(b"tmp")
        && let Some((random, after)) = rest.split_at_checked(8)
        && random.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
        && random.iter().any(|b| !b.is_ascii_lowercase())
        && !after.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
    {
        return Some(put(part, 3, 8, b"XXXXXXXX"));
    }
    if let Some(at) = find(part, b".pyc.").map(|at| at + 5).filter(|&at| part.len() - at >= 9 && is_number(&part[at..]))
    {
        return Some(put(part, at, part.len() - at, b"N"));
    }
    if let Some(at) = find(part, b"0x")
        && let Some(digits) = part.get(at + 2..at + 14).filter(|digits| is_hex(digits))
        && (digits.starts_with(b"7f") || digits.starts_with(b"55") || digits.starts_with(b"56"))
    {
        return Some(put(part, at + 2, 12, b"ADDR"));
    }
    if !in_temporary {
        // A temporary file beside the file that it will replace: `passwd.Ab3xYz`, or a file of sed or Rust.
        let (at, run) = runs(part).last()?;
        let with_prefix =
            [&b"sed"[..], b"tmp"].iter().any(|prefix| at + run.len() == part.len() && run.starts_with(prefix));
        let suffix = at > 1 && part[at - 1] == b'.' && run.len() == 6;
        let random = &run[run.len().checked_sub(6)?..];
        let drawn = (suffix || with_prefix && run.len() == 9) && is_mixed(random) && looks_random(random);
        return drawn.then(|| put(part, at + run.len() - 6, 6, b"XXXXXX"));
    }
    if let Some(number) = part.strip_prefix(b"pytest-").filter(|number| is_number(number)) {
        return Some(put(part, 7, number.len(), b"N"));
    }
    // GCC and Rust draw six letters, mktemp(1) draws six or more.
    for prefix in [&b"cc"[..], b"rustc", b".tmp", b"tmp."] {
        let Some(rest) = part.strip_prefix(prefix) else { continue };
        let len = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let ends = rest.len() == len || rest[len] == b'.';
        let expected = len == 6 || prefix == b"tmp." && (6..=12).contains(&len);
        // A file with one of these endings is GCC's, whatever the letters are.
        let of_gcc =
            prefix == b"cc" && [&b".s"[..], b".o", b".res", b".cdtor"].iter().any(|end| rest[len..].starts_with(end));
        let drawn = of_gcc || rest[..len].iter().any(|b| !b.is_ascii_lowercase());
        if ends && expected && drawn {
            return Some(put(part, prefix.len(), len, b"XXXXXX"));
        }
    }
    if part.len() == 36
        && part.split(|b| *b == b'-').map(<[u8]>::len).eq([8, 4, 4, 4, 12])
        && runs(part).all(|r| is_hex(r.1))
    {
        return Some(b"UUID".to_vec());
    }
    for (at, run) in runs(part) {
        let digits = run.len() - run.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
        if digits >= 9 {
            return Some(put(part, at + run.len() - digits, digits, b"N"));
        }
        let Some(from) = run.len().checked_sub(6) else { continue };
        // The part before the last six letters may be a word. Then only the six letters are random.
        if is_mixed(&run[from..]) && looks_random(&run[from..]) {
            let word = run[..from].iter().all(u8::is_ascii_lowercase);
            let (at, len) = if word { (at + from, 6) } else { (at, run.len()) };
            return Some(put(part, at, len, b"XXXXXX"));
        }
    }
    None
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// True if the text has capitals, and also small letters or digits.
fn is_mixed(text: &[u8]) -> bool {
    let upper = text.iter().any(u8::is_ascii_uppercase);
    upper && text.iter().any(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// True if the text has a digit before a letter, or a capital between a small letter and something else than a small
/// letter. Words, words with a number at the end, and CamelCase have neither.
fn looks_random(text: &[u8]) -> bool {
    let digit_inside = text.windows(2).any(|two| two[0].is_ascii_digit() && two[1].is_ascii_alphabetic());
    let odd_capital = text
        .windows(3)
        .any(|three| three[0].is_ascii_lowercase() && three[1].is_ascii_uppercase() && !three[2].is_ascii_lowercase());
    digit_inside || odd_capital
}

/// A number that is the id of one of the run's processes: `perf-4711.map`.
fn with_id(part: &[u8], ids: &HashSet<Tid>, in_temporary: bool) -> Option<Vec<u8>> {
    // Small numbers are more likely a version or a day of the year.
    let least = if in_temporary { 10 } else { 1000 };
    let (at, run) = runs(part).find(|(_, run)| {
        let id = std::str::from_utf8(run).ok().filter(|_| is_number(run)).and_then(|run| run.parse().ok());
        id.is_some_and(|id: Tid| id >= least && ids.contains(&id))
    })?;
    Some(put(part, at, run.len(), b"PID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        let ids = HashSet::from([1, 42, 4711]);
        String::from_utf8_lossy(&normal(name.as_bytes(), &ids, false)).into_owned()
    }

    /// Checks pairs of a name and its normal form.
    #[track_caller]
    fn become_these(pairs: &[(&str, &str)]) {
        for (name, normal) in pairs {
            assert_eq!(of(name), *normal, "{name}");
            assert_eq!(of(normal), *normal, "once is enough");
        }
    }

    #[track_caller]
    fn stay(names: &[&str]) {
        for name in names {
            assert_eq!(of(name), *name);
        }
    }

    #[test]
    fn processes_and_addresses() {
        become_these(&[
            ("/proc/4242/maps", "/proc/PID/maps"),
            ("/proc/4242/task/4243/comm", "/proc/PID/task/TID/comm"),
            ("/proc/self/task/99/comm", "/proc/self/task/TID/comm"),
            ("/proc/7/map_files/7f12a000-7f12b000", "/proc/PID/map_files/ADDR-ADDR"),
            ("/dev/pts/3", "/dev/pts/N"),
            ("/tmp/perf-4711.map", "/tmp/perf-PID.map"),
            ("/tmp/hsperfdata_root/4711", "/tmp/hsperfdata_root/PID"),
            ("/var/lib/app/lock.4711", "/var/lib/app/lock.PID"),
            ("/home/u/dump-0x7ffd12345678.bin", "/home/u/dump-0xADDR.bin"),
            (
                "/sys/fs/cgroup/user.slice/session-12.scope/memory.max",
                "/sys/fs/cgroup/user.slice/session-N.scope/memory.max",
            ),
            (
                "/usr/lib/debug/.build-id/3a/0c2b4d5e6f708192a3b4c5d6e7f80912345678.debug",
                "/usr/lib/debug/.build-id/XX/BUILDID.debug",
            ),
        ]);
        stay(&[
            "/proc/1/stat",
            "/proc/self/maps",
            "/proc/self/fd/3",
            "/proc/sys/kernel/pid_max",
            "/dev/tty1",
            "/usr/share/doc/4711",
            "/home/u/file-42.txt",
            "/home/u/4712",
            "/home/u/0x123456789abc",
        ]);
    }

    #[test]
    fn temporary_names() {
        become_these(&[
            // GCC, mktemp(1), Python, Go, Rust, pytest, sed -i, git, passwd(1), GLib, CPython's compiled modules.
            ("/tmp/ccQ2w8Xz.s", "/tmp/ccXXXXXX.s"),
            ("/tmp/ccabcdeF.ltrans0.o", "/tmp/ccXXXXXX.ltrans0.o"),
            ("/tmp/ccSGUAJR.cdtor.c", "/tmp/ccXXXXXX.cdtor.c"),
            ("/tmp/ccvunceu.s", "/tmp/ccXXXXXX.s"),
            ("/tmp/tmp.mK2bXa09Zq", "/tmp/tmp.XXXXXX"),
            ("/tmp/tmpk3_x9w2a", "/tmp/tmpXXXXXXXX"),
            ("/srv/tmpk3_x9w2a.json", "/srv/tmpXXXXXXXX.json"),
            ("/tmp/go-build3192873465/b001/x.o", "/tmp/go-buildN/b001/x.o"),
            ("/tmp/rustcUm3b9Z/lib.rmeta", "/tmp/rustcXXXXXX/lib.rmeta"),
            ("/srv/target/.tmpAq9zPk", "/srv/target/.tmpXXXXXX"),
            ("/tmp/pytest-of-root/pytest-12/test_a0", "/tmp/pytest-of-root/pytest-N/test_a0"),
            ("/home/u/sedY7mQpa", "/home/u/sedXXXXXX"),
            ("/srv/.git/objects/ab/tmp_obj_a1B2c3", "/srv/.git/objects/ab/tmp_obj_XXXXXX"),
            ("/etc/passwd.aB3dE9", "/etc/passwd.XXXXXX"),
            ("/home/u/.goutputstream-AbC123", "/home/u/.goutputstream-XXXXXX"),
            ("/w/__pycache__/m.cpython-311.pyc.140234567890123", "/w/__pycache__/m.cpython-311.pyc.N"),
            ("/var/tmp/sess_aZ3kQ9/data", "/var/tmp/sess_XXXXXX/data"),
            ("/dev/shm/sem.Hy4QeZ", "/dev/shm/sem.XXXXXX"),
            ("/tmp/550e8400-e29b-41d4-a716-446655440000/x", "/tmp/UUID/x"),
            ("/tmp/ccQ2w8Xz.s (deleted)", "/tmp/ccXXXXXX.s"),
            ("/memfd:wayland-4711 (deleted)", "/memfd:wayland-PID"),
        ]);
    }

    #[test]
    fn what_was_removed_was_temporary() {
        let of = |name: &str| String::from_utf8_lossy(&normal(name.as_bytes(), &HashSet::new(), true)).into_owned();
        // Python tests with such a file whether it can write.
        assert_eq!(of("/tmp/h1uzvswh"), "/tmp/XXXXXXXX");
        assert_eq!(of("/tmp/x/lock-4ob8nf.tmp"), "/tmp/x/lock-XXXXXX.tmp");
        for name in ["/tmp/directory", "/tmp/main.lock", "/home/u/h1uzvswh", "/tmp/h1uzvswh/file", "/tmp/a_long_name1"]
        {
            assert_eq!(of(name), name);
        }
    }

    #[test]
    fn what_stays_is_told_apart() {
        stay(&[
            "/tmp/data1.csv",
            "/tmp/report-2024.csv",
            "/tmp/MyProject/MainWindow.cpp",
            "/tmp/HTTPServer/README",
            "/tmp/config.h",
            "/tmp/cctest.c",
            "/tmp/myplanB",
            "/tmp/ccache/conf",
            "/tmp/tmpfilename",
            "/tmp/x86_64-linux-gnu/libfoo.so.6.0.30",
            "/tmp/utf8proc.h",
            "/tmp/proj/sha256sum.txt",
            "/tmp/.X11-unix/X0",
            "/home/u/passwd.backup",
            "/srv/main.3f9a2c.js",
            "/srv/chunk.3f9a2c",
            "/usr/lib/x86_64-linux-gnu/libc.so.6",
            "/usr/lib/python3.11/__pycache__/os.cpython-311.pyc",
            "/dev/disk/by-uuid/550e8400-e29b-41d4-a716-446655440000",
            "/home/u/.tmpdir",
            "/home/u/sedentary",
            "anon_inode:[eventpoll]",
            "epoll",
            "(others)",
            "relative/tmpk3",
            "",
            "/",
        ]);
    }

    #[test]
    fn sockets_and_pipes() {
        become_these(&[
            ("pipe:[12345]", "pipe"),
            ("socket:[12345]", "socket"),
            ("TCP 127.0.0.1:6379 ← 127.0.0.1:40001", "TCP 127.0.0.1:6379 ← 127.0.0.1:PORT"),
            ("TCP 10.0.0.1:443 ← 192.168.1.7:2000", "TCP 10.0.0.1:443 ← 192.168.1.7:PORT"),
            ("TCP → 127.0.0.1:45321", "TCP → 127.0.0.1:PORT"),
            ("UDP [::1]:45321", "UDP [::1]:PORT"),
            ("UNIX → /tmp/sock-4711", "UNIX → /tmp/sock-PID"),
            ("UNIX @00a3f", "UNIX @AUTO"),
        ]);
        stay(&[
            "TCP → 127.0.0.1:80",
            "TCP → 93.184.216.34:50051",
            "TCP 0.0.0.0:8080",
            "UNIX → /run/dbus/system_bus_socket",
            "TCP socket",
            "UNIX → @/containerd-shim/x.sock",
        ]);
    }

    #[test]
    fn bytes_of_any_kind() {
        for bytes in
            [&b"\xff\xfe"[..], b"/tmp/\xff\xffaB3dE9\xff", b"//", b"/tmp//", b"/proc//", b"TCP ", b"TCP :", b"UNIX "]
        {
            normal(bytes, &HashSet::new(), true);
        }
    }
}
