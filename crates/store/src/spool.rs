//! The directory in which files wait to be delivered.

use nix::unistd::geteuid;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A new directory that only this user can enter. It is removed when it is dropped, with all directories in it, unless a file is left.
#[derive(Debug)]
pub struct Spool {
    directory: PathBuf,
}

/// A file in the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpooledFile {
    /// The path below the spool, which is that below the prefix in the store.
    pub below: String,
    pub bytes: u64,
}

const STICKY: u32 = 0o1000;
const OTHERS_WRITE: u32 = 0o022;
const MOST_NAMES: u32 = 1000;

impl Spool {
    /// Makes the directory: below the user's directory for caches, or below that for large temporary files.
    pub fn create() -> io::Result<Spool> {
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for parent in parents(|name| std::env::var_os(name).map(PathBuf::from)) {
            match below(&parent) {
                Ok(directory) => return Ok(Spool { directory }),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        remove_empty(&self.directory);
    }
}

fn parents(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let temporary = absolute("TMPDIR").unwrap_or_else(|| "/var/tmp".into());
    cache.map(|cache| cache.join("stride")).into_iter().chain([temporary]).collect()
}

fn below(parent: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().mode(0o700).recursive(true).create(parent)?;
    // In a directory of somebody else, that one could put another directory in place of the spool.
    if !is_safe(&fs::metadata(parent)?) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    for number in 1..=MOST_NAMES {
        let directory = parent.join(format!("stride-spool-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| directory),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn is_safe(of: &Metadata) -> bool {
    let own = of.uid() == geteuid().as_raw() || of.uid() == 0;
    own && (of.mode() & OTHERS_WRITE == 0 || of.mode() & STICKY != 0)
}

/// Removes the empty directories below this one, and itself if nothing else is in it.
pub fn remove_empty(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(&entry.path());
        }
    }
    // (This fails if a file is in it.)
    let _ = fs::remove_dir(directory);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use stride_test_support::Scratch;

    #[test]
    fn places() {
        let of = |known: &[(&str, &str)]| {
            let known: Vec<(String, PathBuf)> =
                known.iter().map(|(name, path)| ((*name).into(), path.into())).collect();
            parents(move |name| known.iter().find(|(known, _)| known == name).map(|(_, path)| path.clone()))
        };
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(of(&[]), paths(&["/var/tmp"]));
        assert_eq!(of(&[("HOME", "/h"), ("TMPDIR", "/t")]), paths(&["/h/.cache/stride", "/t"]));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), paths(&["/c/stride", "/var/tmp"]));
        assert_eq!(of(&[("HOME", "h"), ("TMPDIR", "t"), ("XDG_CACHE_HOME", "")]), paths(&["/var/tmp"]));
    }

    #[test]
    fn a_spool_is_private_and_goes_when_it_is_empty() {
        let scratch = Scratch::new("spool");
        let parent = scratch.path("cache/stride");
        let spools = [Spool { directory: below(&parent).unwrap() }, Spool { directory: below(&parent).unwrap() }];
        for spool in &spools {
            assert_eq!(fs::metadata(spool.directory()).unwrap().mode() & 0o7777, 0o700);
            fs::create_dir_all(spool.directory().join("calls/date=1")).unwrap();
        }
        let [kept, gone] = spools;
        assert_ne!(kept.directory(), gone.directory());
        fs::write(kept.directory().join("calls/date=1/a"), "a").unwrap();
        let directories = [kept.directory().to_owned(), gone.directory().to_owned()];
        drop((kept, gone));
        assert_eq!(directories.map(|directory| directory.join("calls/date=1/a").exists()), [true, false]);
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_in_which_others_write_is_not_used() {
        let scratch = Scratch::new("spool-of-others");
        let parent = scratch.path("open");
        fs::create_dir(&parent).unwrap();
        for (mode, used) in [(0o777, false), (0o770, false), (0o1777, true), (0o755, true)] {
            fs::set_permissions(&parent, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(below(&parent).is_ok(), used, "{mode:o}");
        }
    }
}
