//! Names around fcntl(2) and flock(2).

use crate::sets;

sets! {
    /// Operations: asm-generic/fcntl.h and linux/fcntl.h. The 64-bit locks of 32-bit ABIs have numbers of their own.
    pub FCNTL "F_???" {
        F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_SETOWN, F_GETOWN, F_SETSIG, F_GETSIG,
        F_GETLK64 = 12, F_SETLK64 = 13, F_SETLKW64 = 14, F_SETOWN_EX, F_GETOWN_EX, F_GETOWNER_UIDS,
        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_DUPFD_QUERY, F_CREATED_QUERY,
        F_CANCELLK, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS, F_GET_RW_HINT,
        F_SET_RW_HINT, F_GET_FILE_RW_HINT, F_SET_FILE_RW_HINT, F_GETDELEG = 0x40f, F_SETDELEG = 0x410
    }
    /// asm-generic/fcntl.h
    pub FD_FLAGS "FD_???" { FD_CLOEXEC }
    /// Kinds of locks and leases: asm-generic/fcntl.h
    pub LOCK_TYPE "F_???" { F_RDLCK, F_WRLCK, F_UNLCK, F_EXLCK, F_SHLCK }
    /// Whom a signal goes to: asm-generic/fcntl.h
    pub OWNER_TYPE "F_OWNER_???" { F_OWNER_TID, F_OWNER_PID, F_OWNER_PGRP }
    /// Directory notification: linux/fcntl.h
    pub NOTIFY "DN_???" { DN_ACCESS, DN_MODIFY, DN_CREATE, DN_DELETE, DN_RENAME, DN_ATTRIB, DN_MULTISHOT }
    /// linux/fcntl.h
    pub SEALS "F_SEAL_???" {
        F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE, F_SEAL_FUTURE_WRITE, F_SEAL_EXEC
    }
    /// linux/fcntl.h
    pub WRITE_LIFE "RWH_WRITE_LIFE_???" {
        RWH_WRITE_LIFE_NOT_SET, RWH_WRITE_LIFE_NONE, RWH_WRITE_LIFE_SHORT, RWH_WRITE_LIFE_MEDIUM, RWH_WRITE_LIFE_LONG,
        RWH_WRITE_LIFE_EXTREME
    }
    /// flock(2): asm-generic/fcntl.h
    pub FLOCK "LOCK_???" { LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN, LOCK_MAND, LOCK_RW, LOCK_READ, LOCK_WRITE }
}
