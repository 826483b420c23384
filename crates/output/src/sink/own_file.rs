//! Files whose names Stride chooses, and not the user.
//!
//! Stride may be root's, and the directory may belong to somebody who knows the name beforehand and has something else
//! there: a symbolic or hard link to a file of root's, a FIFO. So a file of this kind is new, and no link leads to it.
//! If its name is taken, `NAME.2` is next, then `NAME.3`. All such files are made here. (A file that the user named is
//! opened as strace does it: links are followed.)

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// So many names are tried.
const MOST_NAMES: u32 = 10_000;
const NEW: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// `FILE.3`
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = std::ffi::OsString::from(path);
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// The name with this number. The first one has none.
pub fn name(path: &Path, number: u32) -> PathBuf {
    if number == 1 { path.to_owned() } else { numbered(path, number) }
}

/// Makes a new file. Its name is the first one that is free, beginning with this number.
pub fn create(path: &Path, number: u32) -> io::Result<(File, PathBuf)> {
    create_at(CWD, path, number)
}

fn create_at(directory: BorrowedFd<'_>, path: &Path, first: u32) -> io::Result<(File, PathBuf)> {
    for number in first..first.saturating_add(MOST_NAMES) {
        let name = name(path, number);
        match openat(directory, &name, NEW, Mode::from_raw_mode(0o666)) {
            Ok(fd) => return Ok((File::from(fd), name)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(Errno::EXIST.into())
}

/// Opens a file that an earlier run may have left. That one is emptied, or continued, if it is nobody else's: a regular
/// file of this user with one name. Otherwise the next name is tried.
pub fn create_or_reuse(path: &Path, append: bool) -> io::Result<(File, PathBuf)> {
    let mode = if append { OFlags::APPEND } else { OFlags::empty() };
    for number in 1..=MOST_NAMES {
        let name = name(path, number);
        match openat(CWD, &name, NEW | mode, Mode::from_raw_mode(0o666)) {
            Ok(fd) => return Ok((File::from(fd), name)),
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        if let Some(file) = left(&name, mode) {
            if !append {
                file.set_len(0)?;
            }
            return Ok((file, name));
        }
    }
    Err(Errno::EXIST.into())
}

/// Opens a file of an earlier run.
fn left(path: &Path, mode: OFlags) -> Option<File> {
    let is_own = |found: &fs::Metadata| found.is_file() && found.nlink() == 1 && found.uid() == geteuid().as_raw();
    // (A FIFO or a device is not even opened.)
    fs::symlink_metadata(path).ok().filter(is_own)?;
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | mode;
    let file = File::from(openat(CWD, path, flags, Mode::empty()).ok()?);
    file.metadata().ok().filter(is_own)?;
    Some(file)
}

/// Makes a new file in place of anything that has its name. The old one is not touched.
pub fn replace(path: &Path) -> io::Result<File> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let (file, temporary) = create(Path::new(&temporary), 1)?;
    if let Err(error) = fs::rename(&temporary, path) {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok(file)
}

/// A directory below one that the user named. It is held open, so whoever renames it or puts a link in its place
/// changes nothing.
pub struct OwnDirectory(OwnedFd);

impl OwnDirectory {
    /// Opens the directory that the user named, and from there the directories of `path`, which are made if they are
    /// missing. These are no links: the error names the first one that is.
    pub fn open(named: &Path, path: &Path) -> Result<OwnDirectory, (PathBuf, io::Error)> {
        let mut shown = named.to_owned();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut at = openat(CWD, named, flags, Mode::empty()).map_err(|e| (shown.clone(), e.into()))?;
        for part in path.components() {
            shown.push(part);
            at = enter(&at, part, flags).map_err(|e| (shown.clone(), e))?;
        }
        Ok(OwnDirectory(at))
    }

    /// Makes a new file. Its name is the first one that is free.
    pub fn create(&self, name: &str) -> io::Result<(File, PathBuf)> {
        create_at(self.0.as_fd(), Path::new(name), 1)
    }

    /// True if anything has this name.
    pub fn has(&self, name: &str) -> bool {
        statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Gives a file of this directory another name. Anything that has the name already is replaced.
    pub fn rename(&self, from: &Path, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub fn remove(&self, name: &Path) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Waits until its names are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

fn enter(from: &OwnedFd, part: Component<'_>, flags: OFlags) -> io::Result<OwnedFd> {
    let Component::Normal(name) = part else { return Err(io::ErrorKind::InvalidInput.into()) };
    match mkdirat(from, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    match openat(from, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Err(Errno::LOOP | Errno::NOTDIR) => Err(io::Error::other(
            "it is a link or a file, and not a directory of its own; put a directory in its place, or name another one",
        )),
        entered => Ok(entered?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;
    use stride_test_support::Scratch;

    /// Plants something at `own` in each way. The file `victim` must not change, and nothing may wait for a reader.
    fn planted(name: &str, check: impl Fn(&Scratch, &Path)) {
        for how in ["link", "dangling", "hard", "fifo", "directory"] {
            let scratch = Scratch::new(&format!("own-file-{name}-{how}"));
            let (victim, own) = (scratch.path("victim"), scratch.path("own"));
            fs::write(&victim, "precious").unwrap();
            match how {
                "link" => symlink(&victim, &own).unwrap(),
                "dangling" => symlink(scratch.path("made"), &own).unwrap(),
                "hard" => fs::hard_link(&victim, &own).unwrap(),
                "fifo" => rustix::fs::mknodat(CWD, &own, rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap(),
                _ => fs::create_dir(&own).unwrap(),
            }
            check(&scratch, &own);
            assert_eq!(scratch.read("victim"), "precious", "{how}");
            assert!(!scratch.path("made").exists(), "{how}");
        }
    }

    #[test]
    fn a_new_file_leaves_alone_whatever_has_its_name() {
        planted("new", |scratch, own| {
            fs::write(scratch.path("own.2"), "other").unwrap();
            let (mut file, name) = create(own, 1).unwrap();
            file.write_all(b"calls").unwrap();
            assert_eq!(name, scratch.path("own.3"));
            assert_eq!((scratch.read("own.2").as_str(), scratch.read("own.3").as_str()), ("other", "calls"));
        });
    }

    #[test]
    fn only_files_of_an_earlier_run_are_used_again() {
        planted("again", |scratch, own| {
            let (_, name) = create_or_reuse(own, false).unwrap();
            assert_eq!(name, scratch.path("own.2"));
        });
        let scratch = Scratch::new("own-file-reused");
        fs::write(scratch.path("own"), "old,").unwrap();
        let (mut file, name) = create_or_reuse(&scratch.path("own"), true).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!((name, scratch.read("own").as_str()), (scratch.path("own"), "old,new"));
        let (mut file, name) = create_or_reuse(&scratch.path("own"), false).unwrap();
        file.write_all(b"x").unwrap();
        assert_eq!((name, scratch.read("own").as_str()), (scratch.path("own"), "x"));
    }

    #[test]
    fn a_file_takes_the_place_of_another() {
        planted("replace", |scratch, own| {
            fs::write(scratch.path("own.new"), "other").unwrap();
            match replace(own) {
                Ok(mut file) => file.write_all(b"calls").unwrap(),
                // Directories stay.
                Err(error) => return assert!(own.is_dir(), "{error}"),
            }
            assert_eq!((scratch.read("own").as_str(), scratch.read("own.new").as_str()), ("calls", "other"));
            assert!(!own.is_symlink());
        });
    }

    #[test]
    fn directories_are_no_links() {
        planted("directory", |scratch, own| {
            let opened = OwnDirectory::open(&scratch.path(""), Path::new("own/sub"));
            match opened {
                Ok(directory) => {
                    assert!(own.is_dir() && !own.is_symlink());
                    let (_, name) = directory.create("file").unwrap();
                    directory.rename(&name, "renamed").unwrap();
                    assert!(directory.has("renamed") && own.join("sub/renamed").exists());
                }
                Err((path, error)) => {
                    assert_eq!(path, own);
                    assert!(error.to_string().contains("directory"), "{error}");
                }
            }
        });
        let scratch = Scratch::new("own-file-elsewhere");
        fs::create_dir(scratch.path("etc")).unwrap();
        symlink(scratch.path("etc"), scratch.path("calls")).unwrap();
        assert!(OwnDirectory::open(&scratch.path(""), Path::new("calls/date")).is_err());
        assert!(!scratch.path("etc/date").exists());
    }
}
