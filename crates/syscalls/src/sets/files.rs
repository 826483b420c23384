//! Names around files: open(2), the AT_ flags.

use crate::sets;

sets! {
    /// open(2) flags: asm-generic/fcntl.h
    pub OPEN "O_???" {
        O_RDONLY in O_ACCMODE, O_WRONLY in O_ACCMODE, O_RDWR in O_ACCMODE, O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC,
        O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, O_DIRECT, O_LARGEFILE, O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH,
        O_TMPFILE, O_DIRECTORY, FASYNC
    }
    /// linux/fcntl.h
    pub AT_FLAGS "AT_???" {
        AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH
    }
}

sets! {
    /// The type bits of a mode: linux/stat.h
    pub FILE_TYPE "S_IF???" { S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFLNK, S_IFSOCK }
}
