//! The users among whom places are shared out.
//!
//! A user has further ids: subordinate ones (subuid(5)), 65536 and more. So a place is charged to a user id only if that is an account's in
//! /etc/passwd. All other ids are charged as one.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// A user that places are charged to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Charge {
    Account(u32),
    /// All ids without an account.
    Others,
}

/// The ids in /etc/passwd, as it is now.
pub struct Accounts {
    path: PathBuf,
    /// By which a change of the file is noticed.
    stamp: Option<Stamp>,
    ids: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Metadata) -> Stamp {
        Stamp { file: (file.dev(), file.ino()), size: file.size(), changed: (file.ctime(), file.ctime_nsec()) }
    }
}

impl Accounts {
    pub fn new(path: impl Into<PathBuf>) -> Accounts {
        Accounts { path: path.into(), stamp: None, ids: Vec::new() }
    }

    pub fn charge(&mut self, uid: u32) -> Charge {
        let stamp = fs::metadata(&self.path).ok().map(|file| Stamp::of(&file));
        if stamp.is_some() && stamp != self.stamp {
            // If the file cannot be read, the last one that could be counts.
            if let Ok(text) = fs::read(&self.path) {
                (self.ids, self.stamp) = (ids(&text), stamp);
            }
        }
        if uid == 0 || self.ids.binary_search(&uid).is_ok() { Charge::Account(uid) } else { Charge::Others }
    }
}

/// The third field of each line, sorted.
fn ids(passwd: &[u8]) -> Vec<u32> {
    let id = |line: &[u8]| std::str::from_utf8(line.split(|b| *b == b':').nth(2)?).ok()?.parse().ok();
    let mut ids: Vec<u32> = passwd.split(|b| *b == b'\n').filter_map(id).collect();
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    #[test]
    fn ids_without_an_account_are_charged_as_one() {
        let scratch = Scratch::new("accounts");
        let path = scratch.path("passwd");
        let mut accounts = Accounts::new(&path);
        assert_eq!([0, 1000].map(|uid| accounts.charge(uid)), [Charge::Account(0), Charge::Others]);
        fs::write(
            &path,
            b"\xff:\xff:\xff\nroot:x:0:0::/:/bin/sh\n\n+\nann:x:1000:5::/:\nbad:x:-1:1::/:\nlast:x:7:7::/:",
        )
        .unwrap();
        let charged = [0, 7, 1000, 5, 100_000, u32::MAX].map(|uid| accounts.charge(uid));
        use Charge::{Account, Others};
        assert_eq!(charged, [Account(0), Account(7), Account(1000), Others, Others, Others]);
        // A new account counts at once.
        fs::write(&path, "bob:x:100000:5::/:/bin/sh\n").unwrap();
        assert_eq!([1000, 100_000].map(|uid| accounts.charge(uid)), [Others, Account(100_000)]);
    }
}
