//! Names around open files: open(2), seeking, transfer, allocation and advice.

use crate::{Set, items, sets};

sets! {
    /// open(2) flags with their access mode: asm-generic/fcntl.h. Newer: O_EMPTYPATH (linux/fcntl.h, 7.0).
    pub OPEN "O_???" {
        O_RDONLY in O_ACCMODE, O_WRONLY in O_ACCMODE, O_RDWR in O_ACCMODE, O_ACCMODE in O_ACCMODE,
        O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, __O_SYNC = 0o4000000,
        O_DIRECT, O_LARGEFILE, O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH, O_TMPFILE, O_DIRECTORY,
        __O_TMPFILE = 0o20000000, O_EMPTYPATH = 0x4000000, FASYNC
    }
    /// The same without an access mode: dup3(2), pipe2(2) and others.
    pub OPEN_FLAGS "O_???" {
        O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, __O_SYNC = 0o4000000,
        O_DIRECT, O_LARGEFILE, O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH, O_TMPFILE, O_DIRECTORY,
        __O_TMPFILE = 0o20000000, O_EMPTYPATH = 0x4000000, FASYNC
    }
    /// openat2(2) flags: linux/openat2.h, 64 bits.
    pub OPEN_HOW "O_???" {
        O_RDONLY in O_ACCMODE, O_WRONLY in O_ACCMODE, O_RDWR in O_ACCMODE, O_ACCMODE in O_ACCMODE,
        O_CREAT, O_EXCL, O_NOCTTY, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_DSYNC, __O_SYNC = 0o4000000,
        O_DIRECT, O_LARGEFILE, O_NOFOLLOW, O_NOATIME, O_CLOEXEC, O_PATH, O_TMPFILE, O_DIRECTORY,
        __O_TMPFILE = 0o20000000, O_EMPTYPATH = 0x4000000, FASYNC, OPENAT2_REGULAR = 0x1_0000_0000
    }
    /// linux/openat2.h
    pub RESOLVE "RESOLVE_???" {
        RESOLVE_NO_XDEV, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH, RESOLVE_IN_ROOT, RESOLVE_CACHED
    }
    /// linux/fs.h
    pub WHENCE "SEEK_???" { SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE }
    /// linux/close_range.h
    pub CLOSE_RANGE "CLOSE_RANGE_???" { CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC }
    /// Flags of one read or write, of preadv2(2) and its like: linux/fs.h
    pub RWF "RWF_???" {
        RWF_HIPRI, RWF_DSYNC, RWF_SYNC, RWF_NOWAIT, RWF_APPEND, RWF_NOAPPEND, RWF_ATOMIC, RWF_DONTCACHE, RWF_NOSIGNAL
    }
    /// splice(2): linux/splice.h of the kernel, bits/fcntl-linux.h of libcs.
    pub SPLICE "SPLICE_F_???" { SPLICE_F_MOVE, SPLICE_F_NONBLOCK, SPLICE_F_MORE, SPLICE_F_GIFT }
    /// linux/falloc.h; FALLOC_FL_WRITE_ZEROES since 6.17.
    pub FALLOCATE "FALLOC_FL_???" {
        FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE, FALLOC_FL_NO_HIDE_STALE, FALLOC_FL_COLLAPSE_RANGE,
        FALLOC_FL_ZERO_RANGE, FALLOC_FL_INSERT_RANGE, FALLOC_FL_UNSHARE_RANGE, FALLOC_FL_WRITE_ZEROES = 0x80
    }
    /// linux/fadvise.h
    pub FADVISE "POSIX_FADV_???" {
        POSIX_FADV_NORMAL, POSIX_FADV_RANDOM, POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED,
        POSIX_FADV_NOREUSE
    }
    /// linux/fs.h
    pub SYNC_FILE_RANGE "SYNC_FILE_RANGE_???" {
        SYNC_FILE_RANGE_WAIT_BEFORE, SYNC_FILE_RANGE_WRITE, SYNC_FILE_RANGE_WAIT_AFTER
    }
    /// memfd_secret(2)
    pub MEMFD_SECRET "" { O_CLOEXEC }
    /// The type bits of a mode: linux/stat.h
    pub FILE_TYPE "S_IF???" { S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFLNK, S_IFSOCK }
}

/// memfd_create(2): linux/memfd.h. The size of huge pages is a number of its own, a power of two.
pub static MEMFD: Set = Set::new(
    "MFD_???",
    items!(x86_64 [] MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_HUGETLB, MFD_NOEXEC_SEAL, MFD_EXEC),
    false,
)
.with_number(0xfc00_0000, "MFD_HUGE_SHIFT");
