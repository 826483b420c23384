//! `-P`: the paths of which accesses are traced.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The given paths, and what they resolve to. A program may use either form; descriptors only have the resolved one. No
/// other spelling matches: resolving each argument of each call would mean walking the tracee's directories while they
/// change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSet {
    paths: Vec<PathBuf>,
}

/// A path that changes when symbolic links and `..` are resolved. The user is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub given: PathBuf,
    pub resolved: PathBuf,
}

impl PathSet {
    /// Adds `path`, and what it resolves to now. A path that does not exist (yet) is matched as given.
    pub fn add(&mut self, path: OsString) -> Option<Resolved> {
        let given = PathBuf::from(path);
        let resolved = given.canonicalize().ok().filter(|resolved| resolved.as_os_str() != given.as_os_str());
        self.insert(given.clone());
        let resolved = resolved?;
        self.insert(resolved.clone());
        Some(Resolved { given, resolved })
    }

    fn insert(&mut self, path: PathBuf) {
        // `Path`'s own equality treats `a//b` and `a/b/.` as `a/b`. Here the spelling counts.
        if !self.contains_bytes(path.as_os_str().as_bytes()) {
            self.paths.push(path);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub fn contains(&self, path: &Path) -> bool {
        self.contains_bytes(path.as_os_str().as_bytes())
    }

    /// Whether the set contains a path that was read from a tracee.
    pub fn contains_bytes(&self, path: &[u8]) -> bool {
        self.paths.iter().any(|known| known.as_os_str().as_bytes() == path)
    }

    pub fn iter(&self) -> impl Iterator<Item = &OsStr> {
        self.paths.iter().map(|path| path.as_os_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_given_and_as_resolved() {
        let mut set = PathSet::default();
        let resolved = set.add("///".into()).unwrap();
        assert_eq!((resolved.given.as_os_str(), resolved.resolved.as_os_str()), (OsStr::new("///"), OsStr::new("/")));
        assert!(set.contains_bytes(b"///") && set.contains_bytes(b"/"));
        assert!(!set.contains_bytes(b"//") && !set.contains_bytes(b""));
    }

    #[test]
    fn nothing_to_tell_when_nothing_changes() {
        let mut set = PathSet::default();
        assert_eq!(set.add("/".into()), None);
        assert_eq!(set.add("/no/such/../file".into()), None);
        assert!(set.contains(Path::new("/no/such/../file")));
        assert_eq!(set.iter().count(), 2);
    }
}
