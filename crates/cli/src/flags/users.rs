//! `-u`: the user as whom the command runs.

use super::stop::Stop;
use nix::unistd::{self, User};
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use stride_session::options::RunAs;

/// Looks `user` up. `UID:GID` is used as it is.
pub fn run_as(user: &OsStr) -> Result<RunAs, Stop> {
    if !unistd::getuid().is_root() {
        return Err(Stop::fail("You must be root to use the -u/--username option"));
    }
    let name = user.to_string_lossy();
    if let Some((uid, gid)) = name.split_once(':') {
        return match (id(uid), id(gid)) {
            (Some(uid), Some(gid)) => Ok(RunAs { uid, gid, groups: Vec::new() }),
            _ => Err(Stop::fail(format!("Invalid UID:GID pair '{name}'"))),
        };
    }
    let unknown = || Stop::fail(format!("Cannot find user '{name}'"));
    let known = User::from_name(&name).ok().flatten().ok_or_else(unknown)?;
    let c_name = CString::new(user.as_bytes()).map_err(|_| unknown())?;
    let groups = unistd::getgrouplist(&c_name, known.gid).map_err(|error| {
        Stop::fail(format!("cannot read the groups of user '{name}': {error}; check the system's group database"))
    })?;
    Ok(RunAs {
        uid: known.uid.as_raw(),
        gid: known.gid.as_raw(),
        groups: groups.iter().map(|gid| gid.as_raw()).collect(),
    })
}

/// The id of a user, given by name or number, whose processes are to be traced.
pub fn id_of(user: &OsStr) -> Result<u32, Stop> {
    let name = user.to_string_lossy();
    let known = User::from_name(&name).ok().flatten().map(|user| user.uid.as_raw());
    known.or_else(|| id(&name)).ok_or_else(|| {
        Stop::fail(format!(
            "Cannot find user '{name}', whose processes are to be traced: give a name or a number that `id` knows"
        ))
    })
}

/// A plain number. The largest one is refused, because it means "leave as it is" to the kernel.
fn id(text: &str) -> Option<u32> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|id| *id != u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_but_the_last() {
        assert_eq!(id("0"), Some(0));
        assert_eq!(id("4294967294"), Some(4294967294));
        for text in ["", "4294967295", "4294967296", "-1", "+1", "uid", "0x1"] {
            assert_eq!(id(text), None, "{text:?}");
        }
    }
}
