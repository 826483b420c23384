//! Requests of file systems: linux/fs.h, linux/fiemap.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    /// Attributes of an inode (ioctl_iflags(2)): linux/fs.h
    pub INODE_FLAGS "FS_???_FL" {
        FS_SECRM_FL, FS_UNRM_FL, FS_COMPR_FL, FS_SYNC_FL, FS_IMMUTABLE_FL, FS_APPEND_FL, FS_NODUMP_FL, FS_NOATIME_FL,
        FS_DIRTY_FL, FS_COMPRBLK_FL, FS_NOCOMP_FL, FS_ENCRYPT_FL, FS_INDEX_FL, FS_IMAGIC_FL, FS_JOURNAL_DATA_FL,
        FS_NOTAIL_FL, FS_DIRSYNC_FL, FS_TOPDIR_FL, FS_HUGE_FILE_FL, FS_EXTENT_FL, FS_VERITY_FL, FS_EA_INODE_FL,
        FS_EOFBLOCKS_FL, FS_NOCOW_FL, FS_DAX_FL, FS_INLINE_DATA_FL, FS_PROJINHERIT_FL, FS_CASEFOLD_FL, FS_RESERVED_FL
    }
    /// linux/fs.h (verity since Linux 7.0, the two last since 7.1)
    pub XFLAGS "FS_XFLAG_???" {
        FS_XFLAG_REALTIME, FS_XFLAG_PREALLOC, FS_XFLAG_IMMUTABLE, FS_XFLAG_APPEND, FS_XFLAG_SYNC, FS_XFLAG_NOATIME,
        FS_XFLAG_NODUMP, FS_XFLAG_RTINHERIT, FS_XFLAG_PROJINHERIT, FS_XFLAG_NOSYMLINKS, FS_XFLAG_EXTSIZE,
        FS_XFLAG_EXTSZINHERIT, FS_XFLAG_NODEFRAG, FS_XFLAG_FILESTREAM, FS_XFLAG_DAX, FS_XFLAG_COWEXTSIZE,
        FS_XFLAG_VERITY = 0x2_0000, FS_XFLAG_HASATTR, FS_XFLAG_CASEFOLD = 0x4_0000, FS_XFLAG_CASENONPRESERVING = 0x8_0000
    }
    /// FS_IOC_SHUTDOWN: linux/fs.h, 6.19
    pub SHUTDOWN "FS_SHUTDOWN_FLAGS_???" {
        FS_SHUTDOWN_FLAGS_DEFAULT = 0, FS_SHUTDOWN_FLAGS_LOGFLUSH = 1, FS_SHUTDOWN_FLAGS_NOLOGFLUSH = 2
    }
    /// linux/fiemap.h
    pub FIEMAP_FLAGS "FIEMAP_FLAG_???" { FIEMAP_FLAG_SYNC, FIEMAP_FLAG_XATTR, FIEMAP_FLAG_CACHE }
    /// linux/fiemap.h
    pub EXTENT_FLAGS "FIEMAP_EXTENT_???" {
        FIEMAP_EXTENT_LAST, FIEMAP_EXTENT_UNKNOWN, FIEMAP_EXTENT_DELALLOC, FIEMAP_EXTENT_ENCODED,
        FIEMAP_EXTENT_DATA_ENCRYPTED, FIEMAP_EXTENT_NOT_ALIGNED, FIEMAP_EXTENT_DATA_INLINE, FIEMAP_EXTENT_DATA_TAIL,
        FIEMAP_EXTENT_UNWRITTEN, FIEMAP_EXTENT_MERGED, FIEMAP_EXTENT_SHARED
    }
    /// FS_IOC_GETLBMD_CAP: linux/fs.h, 6.17
    pub LBMD_FLAGS "LBMD_PI_CAP_???" { LBMD_PI_CAP_INTEGRITY = 1, LBMD_PI_CAP_REFTAG = 2 }
    /// FS_IOC_GETLBMD_CAP: linux/fs.h, 6.17
    pub LBMD_CHECKSUM "LBMD_PI_CSUM_???" {
        LBMD_PI_CSUM_NONE = 0, LBMD_PI_CSUM_IP = 1, LBMD_PI_CSUM_CRC16_T10DIF = 2, LBMD_PI_CSUM_CRC64_NVME = 4
    }
    /// The result of FIDEDUPERANGE for one range: linux/fs.h
    pub DEDUPE_STATUS "" { FILE_DEDUPE_RANGE_SAME, FILE_DEDUPE_RANGE_DIFFERS }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

structs! {
    /// linux/fs.h
    /// The kernel answers with the number of bytes that it has trimmed, and with the unit by which it did so.
    pub TRIM = fstrim_range {
        start: HEX64, len: Ty::Custom(Irregular::Changed("len"), &Ty::U64), minlen: Ty::Custom(Irregular::Changed("minlen"), &Ty::U64)
    }
    /// FS_IOC_FSSETXATTR: linux/fs.h
    pub SET_FSXATTR = fsxattr {
        fsx_xflags: Ty::Flags(&XFLAGS), fsx_extsize: Ty::UInt, fsx_projid: Ty::Hex, fsx_cowextsize: Ty::UInt
    }
    /// FS_IOC_FSGETXATTR: linux/fs.h
    pub GET_FSXATTR = fsxattr {
        fsx_xflags: Ty::Flags(&XFLAGS), fsx_extsize: Ty::UInt, fsx_nextents: Ty::UInt, fsx_projid: Ty::Hex,
        fsx_cowextsize: Ty::UInt
    }
    /// linux/fs.h
    pub UUID = fsuuid2 { len: Ty::UInt, uuid: Ty::Custom(Irregular::Counted("len", true), &Ty::Blob(0)) }
    /// linux/fs.h
    pub SYSFS_PATH = fs_sysfs_path { len: Ty::UInt, name: Ty::Custom(Irregular::CountedText("len"), &Ty::Blob(0)) }
    /// linux/fs.h
    pub CLONE_RANGE = file_clone_range { src_fd: Ty::Fd, src_offset: Ty::U64, src_length: Ty::U64, dest_offset: Ty::U64 }
    /// FS_IOC_GETLBMD_CAP: linux/fs.h
    pub LBMD_CAP = logical_block_metadata_cap {
        lbmd_flags: Ty::Flags(&LBMD_FLAGS), lbmd_interval: Ty::UInt, lbmd_size: Ty::UInt, lbmd_opaque_size: Ty::UInt,
        lbmd_opaque_offset: Ty::UInt, lbmd_pi_size: Ty::UInt, lbmd_pi_offset: Ty::UInt,
        lbmd_guard_tag_type: Ty::Enum(&LBMD_CHECKSUM), lbmd_app_tag_size: Ty::UInt, lbmd_ref_tag_size: Ty::UInt,
        lbmd_storage_tag_size: Ty::UInt
    }
    /// The request to fiemap, and its answer: linux/fiemap.h
    pub FIEMAP_IN = fiemap {
        fm_start: Ty::U64, fm_length: Ty::U64, fm_flags: Ty::Flags(&FIEMAP_FLAGS), fm_extent_count: Ty::UInt
    }
    pub FIEMAP_OUT = fiemap { fm_flags: Ty::Flags(&FIEMAP_FLAGS), fm_mapped_extents: Ty::UInt }
    /// linux/fiemap.h
    pub FIEMAP_EXTENT = fiemap_extent {
        fe_logical: Ty::U64, fe_physical: Ty::U64, fe_length: Ty::U64, fe_flags: Ty::Flags(&EXTENT_FLAGS)
    }
    /// linux/fs.h
    pub DEDUPE = file_dedupe_range { src_offset: Ty::U64, src_length: Ty::U64, dest_count: Ty::UInt }
    pub DEDUPE_IN = file_dedupe_range_info { dest_fd: Ty::Fd, dest_offset: Ty::U64 }
    pub DEDUPE_OUT = file_dedupe_range_info {
        bytes_deduped: Ty::U64,
        status: Ty::Custom(Irregular::DedupeStatus, &Ty::Int)
    }
}

const GET_FLAGS: Ty = Ty::Array(Dir::Out, &Ty::Flags(&INODE_FLAGS), Len::Fixed(1));
const SET_FLAGS: Ty = Ty::Array(Dir::In, &Ty::Flags(&INODE_FLAGS), Len::Fixed(1));
/// `FSLABEL_MAX`.
const LABEL: usize = 256;

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::FS_IOC_GETFLAGS, GET_FLAGS),
    Case(c::FS_IOC_SETFLAGS, SET_FLAGS),
    Case(c::FS_IOC32_GETFLAGS, GET_FLAGS),
    Case(c::FS_IOC32_SETFLAGS, SET_FLAGS),
    Case(c::FICLONE, Ty::Fd),
    Case(c::FICLONERANGE, Ty::Ptr(Dir::In, &Ty::Struct(&CLONE_RANGE))),
    Case(c::FIDEDUPERANGE, Ty::Custom(Irregular::Dedupe, &Ty::Buffer(Dir::InOut, Len::Fixed(4096), 4096))),
    Case(c::FS_IOC_FIEMAP, Ty::Custom(Irregular::Fiemap, &Ty::Buffer(Dir::InOut, Len::Fixed(4096), 4096))),
    Case(c::FS_IOC_FSGETXATTR, Ty::Ptr(Dir::Out, &Ty::Struct(&GET_FSXATTR))),
    Case(c::FS_IOC_FSSETXATTR, Ty::Ptr(Dir::In, &Ty::Struct(&SET_FSXATTR))),
    Case(c::FITRIM, Ty::Exchange(&TRIM)),
    Case(c::FS_IOC_SHUTDOWN, Ty::Array(Dir::In, &Ty::Enum(&SHUTDOWN), Len::Fixed(1))),
    Case(c::FS_IOC_GETFSLABEL, Ty::Custom(Irregular::Label, &Ty::Buffer(Dir::Out, Len::Fixed(LABEL), LABEL as u32))),
    Case(c::FS_IOC_SETFSLABEL, Ty::Custom(Irregular::Label, &Ty::Buffer(Dir::In, Len::Fixed(LABEL), LABEL as u32))),
    Case(c::FS_IOC_GETFSUUID, Ty::Ptr(Dir::Out, &Ty::Struct(&UUID))),
    Case(c::FS_IOC_GETLBMD_CAP, Ty::Ptr(Dir::Out, &Ty::Struct(&LBMD_CAP))),
    Case(c::FS_IOC_GETFSSYSFSPATH, Ty::Ptr(Dir::Out, &Ty::Struct(&SYSFS_PATH))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::FIFREEZE, c::FITHAW];
