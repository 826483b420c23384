//! Each path of each row and where it begins, and where each call that opens files has its flags. A row with a path
//! that is in neither list fails.

use std::collections::BTreeSet;
use stride_syscalls::operation::operations;
use stride_syscalls::{Abi, OpenFlags, PathStart, Syscall, Ty, table};

/// All rows and forms of all ABIs.
fn rows() -> impl Iterator<Item = &'static Syscall> {
    let rows = Abi::ALL.into_iter().flat_map(|abi| table(abi).iter().map(|entry| entry.row));
    rows.flat_map(|row| row.forms.iter().flat_map(|forms| forms.cases).map(|form| &form.row).chain([row]))
}

/// The paths of a row, such as `openat pathname: dirfd`.
fn shown(row: &Syscall) -> impl Iterator<Item = String> {
    row.paths().map(|path| {
        let start = match path.start {
            PathStart::WorkingDirectory => "the working directory",
            PathStart::Directory(at) => row.args[at].name,
            PathStart::Queues => "the queues",
        };
        format!("{} {}: {start}", row.name, row.args[path.position].name)
    })
}

#[test]
fn each_path_begins_at_its_directory() {
    let all: BTreeSet<String> = rows().flat_map(shown).collect();
    let elsewhere: Vec<&str> =
        all.iter().map(String::as_str).filter(|path| !path.ends_with(": the working directory")).collect();
    assert_eq!(elsewhere, ELSEWHERE);
    let names: BTreeSet<&str> = all.iter().filter_map(|path| path.strip_suffix(": the working directory")).collect();
    assert_eq!(Vec::from_iter(names), WORKING_DIRECTORY);
}

const ELSEWHERE: &[&str] = &[
    "execveat pathname: dirfd",
    "faccessat pathname: dirfd",
    "faccessat2 pathname: dirfd",
    "fanotify_mark pathname: dirfd",
    "fchmodat pathname: dirfd",
    "fchmodat2 pathname: dirfd",
    "fchownat pathname: dirfd",
    "file_getattr pathname: dirfd",
    "file_setattr pathname: dirfd",
    "fsconfig value: aux",
    "fspick pathname: dirfd",
    "fstatat64 pathname: dirfd",
    "futimesat pathname: dirfd",
    "getxattrat pathname: dirfd",
    "linkat newpath: newdirfd",
    "linkat oldpath: olddirfd",
    "listxattrat pathname: dirfd",
    "mkdirat pathname: dirfd",
    "mknodat pathname: dirfd",
    "mount_setattr pathname: dirfd",
    "move_mount from_pathname: from_dfd",
    "move_mount to_pathname: to_dfd",
    "mq_open name: the queues",
    "mq_unlink path: the queues",
    "name_to_handle_at pathname: dirfd",
    "newfstatat pathname: dirfd",
    "open_tree pathname: dirfd",
    "open_tree_attr pathname: dirfd",
    "openat pathname: dirfd",
    "openat2 pathname: dirfd",
    "readlinkat pathname: dirfd",
    "removexattrat pathname: dirfd",
    "renameat newpath: newdirfd",
    "renameat oldpath: olddirfd",
    "renameat2 newpath: newdirfd",
    "renameat2 oldpath: olddirfd",
    "setxattrat pathname: dirfd",
    "statx pathname: dirfd",
    "symlinkat linkpath: newdirfd",
    "unlinkat pathname: dirfd",
    "utimensat pathname: dirfd",
    "utimensat_time64 pathname: dirfd",
];
const WORKING_DIRECTORY: &[&str] = &[
    "access pathname",
    "acct path",
    "chdir path",
    "chmod pathname",
    "chown pathname",
    "chown32 pathname",
    "chroot path",
    "creat pathname",
    "execve pathname",
    "getxattr pathname",
    "inotify_add_watch pathname",
    "lchown pathname",
    "lchown32 pathname",
    "lgetxattr pathname",
    "link newpath",
    "link oldpath",
    "listxattr pathname",
    "llistxattr pathname",
    "lremovexattr pathname",
    "lsetxattr pathname",
    "lstat pathname",
    "lstat64 pathname",
    "mkdir pathname",
    "mknod pathname",
    "mount source",
    "mount target",
    "oldlstat pathname",
    "oldstat pathname",
    "open pathname",
    "pivot_root newpath",
    "pivot_root oldpath",
    "quotactl addr",
    "quotactl special",
    "quotactl_fd addr",
    "readlink pathname",
    "removexattr pathname",
    "rename newpath",
    "rename oldpath",
    "rmdir path",
    "setxattr pathname",
    "stat pathname",
    "stat64 pathname",
    "statfs pathname",
    "statfs64 pathname",
    "swapoff path",
    "swapon path",
    "symlink newpath",
    "truncate path",
    "truncate64 path",
    "umount target",
    "umount2 target",
    "unlink path",
    "uselib path",
    "utime filename",
    "utimes pathname",
];

/// A descriptor of a directory is there for a path.
#[test]
fn each_directory_has_a_path() {
    for row in rows() {
        for (at, arg) in row.args.iter().enumerate() {
            let used = row.paths().any(|path| path.start == PathStart::Directory(at));
            let is_directory = matches!(arg.ty, Ty::DirFd | Ty::Custom(_, &Ty::DirFd));
            assert!(!is_directory || used, "{}: {} has no path", row.name, arg.name);
        }
    }
}

/// An operation of io_uring and the system call of the same name agree.
#[test]
fn operations_are_like_system_calls() {
    for operation in operations() {
        let Some(row) = rows().find(|row| row.name == operation.name) else { continue };
        let starts = |start: PathStart| matches!(start, PathStart::Directory(_));
        let paths: Vec<bool> = row.paths().map(|path| starts(path.start)).collect();
        let same: Vec<bool> = operation.paths().map(|path| starts(path.start)).collect();
        assert_eq!(paths, same, "{}", row.name);
    }
}

#[test]
fn flags_of_calls_that_open_files() {
    let places: BTreeSet<String> = rows()
        .filter_map(|row| {
            let place = match row.open_flags()? {
                OpenFlags::Argument(at) => row.args[at].name.to_owned(),
                OpenFlags::Member(at, member) => format!("{}.{member}", row.args[at].name),
                OpenFlags::Always(flags) => format!("{flags:#o}"),
            };
            Some(format!("{}: {place}", row.name))
        })
        .collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    assert_eq!(
        places,
        [
            "creat: 0o1101",
            "mq_open: flags",
            "open: flags",
            "open_by_handle_at: flags",
            "openat2: how.flags",
            "openat: flags"
        ]
    );
}
