//! `-P`: the paths of which accesses are traced.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use stride_event::Glob;

/// The given paths, and what they resolve to. A program may use either form; descriptors only have the resolved one. No
/// other spelling matches: resolving each argument of each call would mean walking the tracee's directories while they
/// change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSet {
    paths: Vec<PathBuf>,
    /// As given, and as understood.
    patterns: Vec<(PathBuf, Glob)>,
}

/// A path that changes when symbolic links and `..` are resolved. The user gets a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub given: PathBuf,
    pub resolved: PathBuf,
}

impl PathSet {
    /// Adds `path`, and what it resolves to now. A path that does not exist (yet) is matched as given; with `*`, `?` or
    /// a bracketed set in it, it is a pattern.
    pub fn add(&mut self, path: OsString) -> Option<Resolved> {
        let given = PathBuf::from(path);
        if let Some(glob) = pattern(&given) {
            self.patterns.push((given.clone(), glob));
            // Descriptors have absolute paths.
            if given.is_relative() && given.components().count() > 1 {
                let absolute = std::env::current_dir().ok().and_then(|dir| Glob::parse(&escaped(&dir, &given)).ok());
                self.patterns.extend(absolute.map(|glob| (given, glob)));
            }
            return None;
        }
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
        self.paths.is_empty() && self.patterns.is_empty()
    }

    pub fn contains(&self, path: &Path) -> bool {
        self.contains_bytes(path.as_os_str().as_bytes())
    }

    /// True if the set contains a path that was read from a tracee.
    pub fn contains_bytes(&self, path: &[u8]) -> bool {
        self.paths.iter().any(|known| known.as_os_str().as_bytes() == path)
            || self.patterns.iter().any(|(given, glob)| glob.matches(compared(given, path)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &OsStr> {
        self.paths.iter().chain(self.patterns.iter().map(|(given, _)| given)).map(|path| path.as_os_str())
    }
}

/// The pattern that a path is, if it has the characters of one and no file has that name.
fn pattern(path: &Path) -> Option<Glob> {
    let text = path.as_os_str().as_bytes();
    if !text.iter().any(|b| b"*?[".contains(b)) || path.symlink_metadata().is_ok() {
        return None;
    }
    // (A `!` at the beginning belongs to the name.)
    if text.starts_with(b"!") { Glob::parse(&[b"\\", text].concat()) } else { Glob::parse(text) }.ok()
}

/// The part of a path that is compared with a pattern: without a slash in the pattern, the name behind the last slash.
fn compared<'a>(pattern: &Path, path: &'a [u8]) -> &'a [u8] {
    let name = if pattern.as_os_str().as_bytes().contains(&b'/') { None } else { path.rsplit(|&b| b == b'/').next() };
    name.unwrap_or(path)
}

/// A pattern below a directory whose name may contain characters that mean something in patterns.
fn escaped(dir: &Path, pattern: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in dir.as_os_str().as_bytes() {
        text.extend(b"*?[\\".contains(&byte).then_some(b'\\'));
        text.push(byte);
    }
    text.push(b'/');
    text.extend(pattern.as_os_str().as_bytes());
    text
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

    #[test]
    fn a_path_of_no_file_with_stars_is_a_pattern() {
        let set = |path: &str| {
            let mut set = PathSet::default();
            assert_eq!(set.add(path.into()), None);
            set
        };
        let of_etc = set("/etc/no*such?");
        assert!(of_etc.contains_bytes(b"/etc/no/such1") && !of_etc.contains_bytes(b"/etc/such1") && !of_etc.is_empty());
        assert_eq!(of_etc.iter().collect::<Vec<_>>(), ["/etc/no*such?"]);
        // Without a slash, the last part of a path counts.
        let objects = set("*.nosuch");
        assert!(objects.contains_bytes(b"/a/b.nosuch") && objects.contains_bytes(b"b.nosuch"));
        assert!(!objects.contains_bytes(b"/b.nosuch/a"));
        let below = set("./no/*.such");
        assert!(below.contains_bytes(b"./no/a.such") && !below.contains_bytes(b"/no/a.such"));
        assert!(set("!no*").contains_bytes(b"!nosuch") && !set("!no*").contains_bytes(b"such"));
        // An unclosed bracket is part of a name.
        let name = set("/no/such[");
        assert!(name.contains_bytes(b"/no/such[") && !name.contains_bytes(b"/no/such"));
    }
}
