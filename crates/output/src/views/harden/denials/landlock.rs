//! Denials of Landlock (landlock(7), and Documentation/admin-guide/LSM/landlock.rst of Linux 6.15 and later, which write them).

use super::denial::Denial;
use super::fields::AuditFields;
use crate::views::harden::landlock::PORT_RIGHTS;
use crate::views::harden::landlock_files::RIGHTS;
use std::collections::BTreeSet;
use stride_syscalls::uapi::consts as c;

/// The type of the record (linux/audit.h).
const ACCESS: [&[u8]; 2] = [b"1423", b"LANDLOCK_ACCESS"];

/// The kernel writes no longer paths.
const LONGEST_PATH: usize = c::PATH_MAX as usize;

/// One denial for each right that was missing.
pub fn denials(fields: &AuditFields<'_>) -> BTreeSet<Denial> {
    let blockers = fields.is_of(ACCESS).then(|| fields.raw(b"blockers")).flatten().unwrap_or_default();
    blockers
        .split(|byte| *byte == b',')
        .filter_map(|blocker| denial(std::str::from_utf8(blocker).ok()?, fields))
        .collect()
}

fn denial(blocker: &str, fields: &AuditFields<'_>) -> Option<Denial> {
    if let Some(right) = blocker.strip_prefix("fs.").filter(|right| RIGHTS.contains(right)) {
        let path = fields.text(b"path").filter(|path| path.starts_with(b"/") && path.len() <= LONGEST_PATH)?;
        return Some(Denial::Beneath { path, right: right.into() });
    }
    if let Some(right) = blocker.strip_prefix("net.").filter(|right| PORT_RIGHTS.iter().any(|(_, name)| name == right))
    {
        let port = fields.number(if right == "bind_tcp" { b"src" } else { b"dest" }, 10)?;
        return Some(Denial::Port { port: port.try_into().ok()?, right: right.into() });
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    let is_word = !blocker.is_empty() && blocker.len() <= 64 && blocker.chars().all(is_plain);
    is_word.then(|| Denial::Other { operation: blocker.into(), rule: None, action: "refused", manual: "landlock(7)" })
}
