//! stat and its relatives, statfs, times of files.

use crate::sets::paths::*;
use crate::uapi::consts as c;
use crate::{Irregular, Ty, When, structs};

/// Seconds; the next member in memory holds the nanoseconds.
const TIME: Ty = Ty::Custom(Irregular::DatedNsec, &Ty::Blob(8));
/// Seconds alone.
const SECONDS: Ty = Ty::Custom(Irregular::Dated, &Ty::Blob(8));
/// The kernel fills in `f_flags` since Linux 2.6.36, and marks it as valid.
const ST_VALID_BIT: u64 = MOUNT_STATE.value("ST_VALID");
const STATX_TIME: Ty = Ty::Custom(Irregular::DatedTime, &Ty::Struct(&STATX_TIMESPEC));

/// Devices have a number where other files have a size.
const DEVICE: When = When::OneOf("st_mode", c::S_IFMT, &[c::S_IFCHR, c::S_IFBLK]);
const NO_DEVICE: When = When::NoneOf("st_mode", c::S_IFMT, &[c::S_IFCHR, c::S_IFBLK]);

structs! {
    /// stat(2): asm/stat.h
    pub STAT = stat {
        [v] st_dev: Ty::Dev, [v] st_ino: Ty::UInt, st_mode: Ty::Mode, [v] st_nlink: Ty::UInt, [v] st_uid: Ty::UInt,
        [v] st_gid: Ty::UInt, [v] st_blksize: Ty::UInt, [v] st_blocks: Ty::UInt,
        st_size: Ty::UInt => NO_DEVICE, st_rdev: Ty::Dev => DEVICE,
        [v] st_atime: TIME, [v] st_atime_nsec: Ty::UInt, [v] st_mtime: TIME, [v] st_mtime_nsec: Ty::UInt,
        [v] st_ctime: TIME, [v] st_ctime_nsec: Ty::UInt
    }
    /// stat64(2) of 32-bit ABIs: asm/stat.h
    pub STAT64 = i386 stat64 {
        [v] st_dev: Ty::Dev, [v] st_ino: Ty::UInt, st_mode: Ty::Mode, [v] st_nlink: Ty::UInt, [v] st_uid: Ty::UInt,
        [v] st_gid: Ty::UInt, [v] st_blksize: Ty::UInt, [v] st_blocks: Ty::UInt,
        st_size: Ty::UInt => NO_DEVICE, st_rdev: Ty::Dev => DEVICE,
        [v] st_atime: TIME, [v] st_atime_nsec: Ty::UInt, [v] st_mtime: TIME, [v] st_mtime_nsec: Ty::UInt,
        [v] st_ctime: TIME, [v] st_ctime_nsec: Ty::UInt
    }
    /// oldstat(2): asm/stat.h
    pub OLD_STAT = __old_kernel_stat {
        [v] st_dev: Ty::Dev, [v] st_ino: Ty::UInt, st_mode: Ty::Mode, [v] st_nlink: Ty::UInt, [v] st_uid: Ty::UInt,
        [v] st_gid: Ty::UInt, st_size: Ty::UInt => NO_DEVICE, st_rdev: Ty::Dev => DEVICE,
        [v] st_atime: SECONDS, [v] st_mtime: SECONDS, [v] st_ctime: SECONDS
    }
    pub STATX_TIMESPEC = statx_timestamp { tv_sec: Ty::I64, tv_nsec: Ty::UInt }
    /// statx(2): linux/stat.h
    pub STATX = statx {
        stx_mask: Ty::Flags(&STATX_MASK), [v] stx_blksize: Ty::UInt, stx_attributes: Ty::Flags(&STATX_ATTR),
        [v] stx_nlink: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_NLINK]),
        [v] stx_uid: Ty::Uid => When::AnySet("stx_mask", &[c::STATX_UID]),
        [v] stx_gid: Ty::Gid => When::AnySet("stx_mask", &[c::STATX_GID]),
        stx_mode: Ty::Mode => When::AnySet("stx_mask", &[c::STATX_TYPE, c::STATX_MODE]),
        [v] stx_ino: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_INO]),
        stx_size: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_SIZE]),
        [v] stx_blocks: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_BLOCKS]),
        [v] stx_attributes_mask: Ty::Flags(&STATX_ATTR),
        [v] stx_atime: STATX_TIME => When::AnySet("stx_mask", &[c::STATX_ATIME]),
        [v] stx_btime: STATX_TIME => When::AnySet("stx_mask", &[c::STATX_BTIME]),
        [v] stx_ctime: STATX_TIME => When::AnySet("stx_mask", &[c::STATX_CTIME]),
        [v] stx_mtime: STATX_TIME => When::AnySet("stx_mask", &[c::STATX_MTIME]),
        [v] stx_rdev_major: Ty::UInt, [v] stx_rdev_minor: Ty::UInt, [v] stx_dev_major: Ty::UInt, [v] stx_dev_minor: Ty::UInt,
        [v] stx_mnt_id: Ty::Hex => When::AnySet("stx_mask", &[c::STATX_MNT_ID]),
        [v] stx_dio_mem_align: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_DIOALIGN]),
        [v] stx_dio_offset_align: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_DIOALIGN]),
        [v] stx_subvol: Ty::Hex => When::AnySet("stx_mask", &[c::STATX_SUBVOL]),
        [v] stx_atomic_write_unit_min: Ty::UInt => When::AnySet("stx_attributes", &[c::STATX_ATTR_WRITE_ATOMIC]),
        [v] stx_atomic_write_unit_max: Ty::UInt => When::AnySet("stx_attributes", &[c::STATX_ATTR_WRITE_ATOMIC]),
        [v] stx_atomic_write_segments_max: Ty::UInt => When::AnySet("stx_attributes", &[c::STATX_ATTR_WRITE_ATOMIC]),
        [v] stx_dio_read_offset_align: Ty::UInt => When::AnySet("stx_mask", &[c::STATX_DIO_READ_ALIGN]),
        [v] stx_atomic_write_unit_max_opt: Ty::UInt => When::AnySet("stx_attributes", &[c::STATX_ATTR_WRITE_ATOMIC])
    }
    pub FSID = __kernel_fsid_t { val: Ty::Items(&Ty::Hex) }
    /// statfs(2): asm-generic/statfs.h
    pub STATFS = statfs {
        f_type: Ty::Enum(&FS_TYPE), f_bsize: Ty::UInt, f_blocks: Ty::UInt, f_bfree: Ty::UInt, f_bavail: Ty::UInt,
        f_files: Ty::UInt, f_ffree: Ty::UInt, f_fsid: Ty::Struct(&FSID), f_namelen: Ty::UInt, f_frsize: Ty::UInt,
        f_flags: Ty::Flags(&MOUNT_STATE) => When::AnySet("f_flags", &[ST_VALID_BIT])
    }
    /// statfs64(2) of 32-bit ABIs: asm-generic/statfs.h
    pub STATFS64 = i386 statfs64 {
        f_type: Ty::Enum(&FS_TYPE), f_bsize: Ty::UInt, f_blocks: Ty::UInt, f_bfree: Ty::UInt, f_bavail: Ty::UInt,
        f_files: Ty::UInt, f_ffree: Ty::UInt, f_fsid: Ty::Struct(&FSID), f_namelen: Ty::UInt, f_frsize: Ty::UInt,
        f_flags: Ty::Flags(&MOUNT_STATE) => When::AnySet("f_flags", &[ST_VALID_BIT])
    }
    /// ustat(2): linux/types.h
    pub USTAT = ustat { f_tfree: Ty::UInt, f_tinode: Ty::UInt }
    /// utime(2): linux/utime.h
    pub UTIMBUF = utimbuf { actime: SECONDS, modtime: SECONDS }
    /// utimes(2): linux/time.h
    pub TIMEVAL = timeval { tv_sec: Ty::Long, tv_usec: Ty::ULong }
    /// utimensat(2): linux/time.h
    pub TIMESPEC = timespec { tv_sec: Ty::Long, tv_nsec: Ty::ULong }
    /// utimensat_time64(2): linux/time_types.h
    pub TIMESPEC64 = __kernel_timespec { tv_sec: Ty::I64, tv_nsec: Ty::U64 }
    /// file_getattr(2): linux/fs.h
    pub FILE_ATTR = file_attr {
        fa_xflags: Ty::Flags(&FS_XFLAGS), fa_extsize: Ty::UInt, fa_nextents: Ty::UInt, fa_projid: Ty::Hex,
        fa_cowextsize: Ty::UInt
    }
    /// file_setattr(2): the number of extents is not read.
    pub FILE_ATTR_SET = file_attr {
        fa_xflags: Ty::Flags(&FS_XFLAGS), fa_extsize: Ty::UInt, fa_projid: Ty::Hex, fa_cowextsize: Ty::UInt
    }
}
