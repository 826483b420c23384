//! stat and its relatives.

use crate::{Ty, structs};

structs! {
    /// stat(2): asm/stat.h
    pub STAT = stat {
        [v] st_dev: Ty::Dev, [v] st_ino: Ty::UInt, st_mode: Ty::Mode, [v] st_nlink: Ty::UInt, [v] st_uid: Ty::Uid,
        [v] st_gid: Ty::Gid, [v] st_blksize: Ty::UInt, [v] st_blocks: Ty::UInt, st_size: Ty::Int
    }
}
