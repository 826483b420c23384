//! /proc/TID/fd/N: the path by which a descriptor was opened, and its device.

use crate::descriptors::fdinfo;
use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use stride_engine_base::{process, procfs};
use stride_event::{Descriptor, FileKind, Tid};

/// Stands for the working directory where calls take a descriptor.
pub const AT_FDCWD: i32 = -100;

pub fn of(tid: Tid, fd: i32) -> String {
    if fd == AT_FDCWD { procfs::path(tid, "cwd") } else { procfs::path(tid, &format!("fd/{fd}")) }
}

/// The file that a descriptor refers to.
pub struct Link {
    /// The path, without the mark that the kernel appends to deleted files.
    pub path: Vec<u8>,
    pub deleted: bool,
}

impl Link {
    /// Packs the link into one piece, as answers are.
    pub fn pack(&self) -> Vec<u8> {
        [&[self.deleted.into()], &self.path[..]].concat()
    }

    pub fn unpack(packed: &[u8]) -> Option<Link> {
        let (deleted, path) = packed.split_first()?;
        Some(Link { path: path.to_vec(), deleted: *deleted != 0 })
    }
}

pub fn read(tid: Tid, fd: i32) -> Option<Link> {
    const DELETED: &[u8] = b" (deleted)";
    let link = of(tid, fd);
    let mut path = fs::read_link(&link).ok()?.into_os_string().into_vec();
    let mut deleted = false;
    // A file may really have such a name. Only a file without links is deleted.
    if path.ends_with(DELETED) && fs::metadata(&link).is_ok_and(|m| m.nlink() == 0) {
        path.truncate(path.len() - DELETED.len());
        deleted = true;
    }
    Some(Link { path, deleted })
}

/// The packed links that a command inherits from this process: of its working directory and of the descriptors that survive
/// an execve.
pub fn inherited() -> HashMap<i32, Vec<u8>> {
    let own = std::process::id() as Tid;
    let names = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten().map(|entry| entry.file_name());
    // (Stride's programs and maps are a hundred descriptors by now, so the kernel is not asked for a text about each.)
    let open = names.filter_map(|name| name.to_str()?.parse().ok()).filter(|&fd| process::survives_exec(fd));
    open.chain([AT_FDCWD]).filter_map(|fd| Some((fd, read(own, fd)?.pack()))).collect()
}

/// The link as the engine saw it.
pub fn known(descriptor: &Descriptor) -> Link {
    Link { path: descriptor.path.clone(), deleted: descriptor.deleted }
}

/// True if the descriptor was opened by the name of a terminal.
pub fn is_terminal(tid: Tid, fd: i32) -> bool {
    fd >= 0 && read(tid, fd).is_some_and(|link| FileKind::of_path(&link.path) == Some(FileKind::Terminal))
}

/// The inode in `socket:[4711]`.
pub fn socket_inode(path: &[u8]) -> Option<u64> {
    let digits = path.strip_prefix(b"socket:[")?.strip_suffix(b"]")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// `<char 1:3>`. For the master side of a terminal, the text also names the other end.
pub fn device(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<String> {
    const PTMX: (u32, u32) = (5, 2);
    let (mode, (major, minor)) = match known {
        Some(known) => (known.mode, known.device),
        None => {
            let meta = fs::metadata(of(tid, fd)).ok()?;
            (meta.mode(), (rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev())))
        }
    };
    let kind = match rustix::fs::FileType::from_raw_mode(mode) {
        rustix::fs::FileType::CharacterDevice => "char",
        rustix::fs::FileType::BlockDevice => "block",
        _ => return None,
    };
    if kind == "char"
        && (major, minor) == PTMX
        && let Some(index) = fdinfo::terminal(tid, fd, known)
    {
        return Some(format!("<char {major}:{minor} @/dev/pts/{index}>"));
    }
    Some(format!("<{kind} {major}:{minor}>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    fn me() -> Tid {
        std::process::id() as Tid
    }

    #[test]
    fn devices_have_numbers() {
        let null = fs::File::open("/dev/null").unwrap();
        assert_eq!(device(me(), null.as_raw_fd(), None).unwrap(), "<char 1:3>");
        assert_eq!(read(me(), null.as_raw_fd()).unwrap().path, b"/dev/null");
    }

    #[test]
    fn only_what_is_gone_is_deleted() {
        let path = std::env::temp_dir().join(format!("stride-proc-{} (deleted)", me()));
        let file = fs::File::create(&path).unwrap();
        let info = read(me(), file.as_raw_fd()).unwrap();
        assert!(!info.deleted && info.path.ends_with(b" (deleted)"));
        fs::remove_file(&path).unwrap();
        let info = read(me(), file.as_raw_fd()).unwrap();
        assert!(info.deleted && info.path.ends_with(b" (deleted)"));
    }

    #[test]
    fn inodes() {
        assert_eq!(socket_inode(b"socket:[4711]"), Some(4711));
        assert_eq!(socket_inode(b"pipe:[4711]"), None);
        assert_eq!(socket_inode(b"socket:[x]"), None);
    }
}
