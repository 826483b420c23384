//! Requests of btrfs: linux/btrfs.h, linux/btrfs_tree.h.

use crate::uapi::{consts as c, consts_i386 as i386};
use crate::{Case, Dir, Irregular, Len, Ty, When, Width, names, sets, structs};

names! {
    /// Trees and other objects with reserved numbers
    pub decimal OBJECTS "" {
        BTRFS_ROOT_TREE_OBJECTID, BTRFS_EXTENT_TREE_OBJECTID, BTRFS_CHUNK_TREE_OBJECTID, BTRFS_DEV_TREE_OBJECTID,
        BTRFS_FS_TREE_OBJECTID, BTRFS_ROOT_TREE_DIR_OBJECTID, BTRFS_CSUM_TREE_OBJECTID, BTRFS_QUOTA_TREE_OBJECTID,
        BTRFS_UUID_TREE_OBJECTID, BTRFS_FREE_SPACE_TREE_OBJECTID, BTRFS_BLOCK_GROUP_TREE_OBJECTID,
        BTRFS_RAID_STRIPE_TREE_OBJECTID, BTRFS_FIRST_FREE_OBJECTID, BTRFS_LAST_FREE_OBJECTID
    }
}

names! {
    /// Types of items in a tree
    pub decimal KEYS "" {
        BTRFS_INODE_ITEM_KEY, BTRFS_INODE_REF_KEY, BTRFS_INODE_EXTREF_KEY, BTRFS_XATTR_ITEM_KEY, BTRFS_VERITY_DESC_ITEM_KEY,
        BTRFS_VERITY_MERKLE_ITEM_KEY, BTRFS_ORPHAN_ITEM_KEY, BTRFS_DIR_LOG_ITEM_KEY, BTRFS_DIR_LOG_INDEX_KEY,
        BTRFS_DIR_ITEM_KEY, BTRFS_DIR_INDEX_KEY, BTRFS_EXTENT_DATA_KEY, BTRFS_EXTENT_CSUM_KEY, BTRFS_ROOT_ITEM_KEY,
        BTRFS_ROOT_BACKREF_KEY, BTRFS_ROOT_REF_KEY, BTRFS_EXTENT_ITEM_KEY, BTRFS_METADATA_ITEM_KEY,
        BTRFS_EXTENT_OWNER_REF_KEY, BTRFS_TREE_BLOCK_REF_KEY, BTRFS_EXTENT_DATA_REF_KEY, BTRFS_SHARED_BLOCK_REF_KEY,
        BTRFS_SHARED_DATA_REF_KEY, BTRFS_BLOCK_GROUP_ITEM_KEY, BTRFS_FREE_SPACE_INFO_KEY, BTRFS_FREE_SPACE_EXTENT_KEY,
        BTRFS_FREE_SPACE_BITMAP_KEY, BTRFS_DEV_EXTENT_KEY, BTRFS_DEV_ITEM_KEY, BTRFS_CHUNK_ITEM_KEY, BTRFS_RAID_STRIPE_KEY,
        BTRFS_QGROUP_STATUS_KEY, BTRFS_QGROUP_INFO_KEY, BTRFS_QGROUP_LIMIT_KEY, BTRFS_QGROUP_RELATION_KEY,
        BTRFS_TEMPORARY_ITEM_KEY, BTRFS_PERSISTENT_ITEM_KEY, BTRFS_DEV_REPLACE_KEY, BTRFS_UUID_KEY_SUBVOL,
        BTRFS_UUID_KEY_RECEIVED_SUBVOL, BTRFS_STRING_ITEM_KEY
    }
}

sets! {
    pub SUBVOLUME_FLAGS "BTRFS_SUBVOL_???" {
        BTRFS_SUBVOL_CREATE_ASYNC, BTRFS_SUBVOL_RDONLY, BTRFS_SUBVOL_QGROUP_INHERIT
    }
    pub DEVICE_FLAGS "BTRFS_DEVICE_???" { BTRFS_DEVICE_SPEC_BY_ID }
    pub DELETE_FLAGS "BTRFS_SUBVOL_???" { BTRFS_SUBVOL_SPEC_BY_ID }
    pub INHERIT_FLAGS "BTRFS_QGROUP_INHERIT_???" { BTRFS_QGROUP_INHERIT_SET_LIMITS }
    pub LIMIT_FLAGS "BTRFS_QGROUP_LIMIT_???" {
        BTRFS_QGROUP_LIMIT_MAX_RFER, BTRFS_QGROUP_LIMIT_MAX_EXCL, BTRFS_QGROUP_LIMIT_RSV_RFER, BTRFS_QGROUP_LIMIT_RSV_EXCL,
        BTRFS_QGROUP_LIMIT_RFER_CMPR, BTRFS_QGROUP_LIMIT_EXCL_CMPR
    }
    /// The contents of a group of blocks, and how they are stored
    pub BLOCK_GROUPS "BTRFS_BLOCK_GROUP_???" {
        BTRFS_BLOCK_GROUP_DATA, BTRFS_BLOCK_GROUP_SYSTEM, BTRFS_BLOCK_GROUP_METADATA, BTRFS_BLOCK_GROUP_RAID0,
        BTRFS_BLOCK_GROUP_RAID1, BTRFS_BLOCK_GROUP_DUP, BTRFS_BLOCK_GROUP_RAID10, BTRFS_BLOCK_GROUP_RAID5,
        BTRFS_BLOCK_GROUP_RAID6, BTRFS_BLOCK_GROUP_RAID1C3, BTRFS_BLOCK_GROUP_RAID1C4, BTRFS_BLOCK_GROUP_REMAPPED = 1 << 11,
        BTRFS_BLOCK_GROUP_METADATA_REMAP = 1 << 12, BTRFS_AVAIL_ALLOC_BIT_SINGLE, BTRFS_SPACE_INFO_GLOBAL_RSV
    }
    pub BALANCE_ARGS "BTRFS_BALANCE_ARGS_???" {
        BTRFS_BALANCE_ARGS_PROFILES, BTRFS_BALANCE_ARGS_USAGE, BTRFS_BALANCE_ARGS_DEVID, BTRFS_BALANCE_ARGS_DRANGE,
        BTRFS_BALANCE_ARGS_VRANGE, BTRFS_BALANCE_ARGS_LIMIT, BTRFS_BALANCE_ARGS_LIMIT_RANGE, BTRFS_BALANCE_ARGS_STRIPES_RANGE,
        BTRFS_BALANCE_ARGS_CONVERT, BTRFS_BALANCE_ARGS_SOFT, BTRFS_BALANCE_ARGS_USAGE_RANGE
    }
    pub BALANCE_FLAGS "BTRFS_BALANCE_???" {
        BTRFS_BALANCE_DATA, BTRFS_BALANCE_SYSTEM, BTRFS_BALANCE_METADATA, BTRFS_BALANCE_FORCE, BTRFS_BALANCE_RESUME
    }
    pub BALANCE_STATE "BTRFS_BALANCE_STATE_???" {
        BTRFS_BALANCE_STATE_RUNNING, BTRFS_BALANCE_STATE_PAUSE_REQ, BTRFS_BALANCE_STATE_CANCEL_REQ
    }
    pub BALANCE_COMMANDS "BTRFS_BALANCE_CTL_???" { BTRFS_BALANCE_CTL_PAUSE, BTRFS_BALANCE_CTL_CANCEL }
    pub DEFRAG_FLAGS "BTRFS_DEFRAG_RANGE_???" {
        BTRFS_DEFRAG_RANGE_COMPRESS, BTRFS_DEFRAG_RANGE_START_IO, BTRFS_DEFRAG_RANGE_COMPRESS_LEVEL = 4,
        BTRFS_DEFRAG_RANGE_NOCOMPRESS = 8
    }
    pub COMPRESSION "BTRFS_COMPRESS_???" {
        BTRFS_COMPRESS_NONE = 0, BTRFS_COMPRESS_ZLIB = 1, BTRFS_COMPRESS_LZO = 2, BTRFS_COMPRESS_ZSTD = 3
    }
    pub SCRUB_FLAGS "BTRFS_SCRUB_???" { BTRFS_SCRUB_READONLY }
    pub LOGICAL_FLAGS "BTRFS_LOGICAL_INO_ARGS_???" { BTRFS_LOGICAL_INO_ARGS_IGNORE_OFFSET }
    pub SEND_FLAGS "BTRFS_SEND_FLAG_???" {
        BTRFS_SEND_FLAG_NO_FILE_DATA, BTRFS_SEND_FLAG_OMIT_STREAM_HEADER, BTRFS_SEND_FLAG_OMIT_END_CMD, BTRFS_SEND_FLAG_VERSION,
        BTRFS_SEND_FLAG_COMPRESSED
    }
    pub QUOTA_COMMANDS "BTRFS_QUOTA_CTL_???" {
        BTRFS_QUOTA_CTL_ENABLE, BTRFS_QUOTA_CTL_DISABLE, BTRFS_QUOTA_CTL_RESCAN__NOTUSED, BTRFS_QUOTA_CTL_ENABLE_SIMPLE_QUOTA
    }
    pub STATS_FLAGS "BTRFS_DEV_STATS_???" { BTRFS_DEV_STATS_RESET }
    pub decimal STATS "" {
        BTRFS_DEV_STAT_WRITE_ERRS, BTRFS_DEV_STAT_READ_ERRS, BTRFS_DEV_STAT_FLUSH_ERRS, BTRFS_DEV_STAT_CORRUPTION_ERRS,
        BTRFS_DEV_STAT_GENERATION_ERRS
    }
    pub REPLACE_COMMANDS "BTRFS_IOCTL_DEV_REPLACE_CMD_???" {
        BTRFS_IOCTL_DEV_REPLACE_CMD_START, BTRFS_IOCTL_DEV_REPLACE_CMD_STATUS, BTRFS_IOCTL_DEV_REPLACE_CMD_CANCEL
    }
    pub REPLACE_RESULTS "BTRFS_IOCTL_DEV_REPLACE_RESULT_???" {
        BTRFS_IOCTL_DEV_REPLACE_RESULT_NO_ERROR, BTRFS_IOCTL_DEV_REPLACE_RESULT_NOT_STARTED,
        BTRFS_IOCTL_DEV_REPLACE_RESULT_ALREADY_STARTED, BTRFS_IOCTL_DEV_REPLACE_RESULT_SCRUB_INPROGRESS
    }
    pub REPLACE_STATES "BTRFS_IOCTL_DEV_REPLACE_STATE_???" {
        BTRFS_IOCTL_DEV_REPLACE_STATE_NEVER_STARTED, BTRFS_IOCTL_DEV_REPLACE_STATE_STARTED,
        BTRFS_IOCTL_DEV_REPLACE_STATE_FINISHED, BTRFS_IOCTL_DEV_REPLACE_STATE_CANCELED,
        BTRFS_IOCTL_DEV_REPLACE_STATE_SUSPENDED
    }
    pub SOURCE_MODES "BTRFS_IOCTL_DEV_REPLACE_CONT_READING_FROM_SRCDEV_MODE_???" {
        BTRFS_IOCTL_DEV_REPLACE_CONT_READING_FROM_SRCDEV_MODE_ALWAYS,
        BTRFS_IOCTL_DEV_REPLACE_CONT_READING_FROM_SRCDEV_MODE_AVOID
    }
    pub COMPATIBLE "BTRFS_FEATURE_COMPAT_???" {}
    pub COMPATIBLE_TO_READ "BTRFS_FEATURE_COMPAT_RO_???" {
        BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE, BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID, BTRFS_FEATURE_COMPAT_RO_VERITY,
        BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE
    }
    pub INCOMPATIBLE "BTRFS_FEATURE_INCOMPAT_???" {
        BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF, BTRFS_FEATURE_INCOMPAT_DEFAULT_SUBVOL, BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS,
        BTRFS_FEATURE_INCOMPAT_COMPRESS_LZO, BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD, BTRFS_FEATURE_INCOMPAT_BIG_METADATA,
        BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF, BTRFS_FEATURE_INCOMPAT_RAID56, BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA,
        BTRFS_FEATURE_INCOMPAT_NO_HOLES, BTRFS_FEATURE_INCOMPAT_METADATA_UUID, BTRFS_FEATURE_INCOMPAT_RAID1C34,
        BTRFS_FEATURE_INCOMPAT_ZONED, BTRFS_FEATURE_INCOMPAT_EXTENT_TREE_V2, BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE,
        BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA, BTRFS_FEATURE_INCOMPAT_REMAP_TREE = 1 << 17
    }
    pub INFO_FLAGS "BTRFS_FS_INFO_FLAG_???" {
        BTRFS_FS_INFO_FLAG_CSUM_INFO, BTRFS_FS_INFO_FLAG_GENERATION, BTRFS_FS_INFO_FLAG_METADATA_UUID
    }
    pub CHECKSUMS "BTRFS_CSUM_TYPE_???" {
        BTRFS_CSUM_TYPE_CRC32, BTRFS_CSUM_TYPE_XXHASH, BTRFS_CSUM_TYPE_SHA256, BTRFS_CSUM_TYPE_BLAKE2
    }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
/// A number, of which all bits may be set.
const NUMBER: Ty = Ty::Custom(Irregular::Most("UINT64_MAX"), &Ty::U64);
const OBJECT: Ty = Ty::Custom(Irregular::Most("UINT64_MAX"), &Ty::As(Width::W8, &Ty::Enum(&OBJECTS)));
const KEY: Ty = Ty::Custom(Irregular::Most("UINT32_MAX"), &Ty::Enum(&KEYS));
const SECONDS: Ty = Ty::Custom(Irregular::UnsignedDate, &Ty::U64);
const UUID: Ty = Ty::Custom(Irregular::Uuid, &Ty::Blob(16));
const BLOCKS: Ty = Ty::As(Width::W8, &Ty::Flags(&BLOCK_GROUPS));
const SUBVOLUME: Ty = Ty::As(Width::W8, &Ty::Flags(&SUBVOLUME_FLAGS));
const PART: Ty = Ty::Struct(&BALANCE_PART);
// The kernel looks at the parts that the flags name.
const BALANCES_DATA: When = When::AnySet("flags", &[c::BTRFS_BALANCE_DATA]);
const BALANCES_METADATA: When = When::AnySet("flags", &[c::BTRFS_BALANCE_METADATA]);
const BALANCES_SYSTEM: When = When::AnySet("flags", &[c::BTRFS_BALANCE_SYSTEM]);
const TIME: Ty = Ty::Custom(Irregular::DatedTime, &Ty::Struct(&TIMESPEC));
const LIMITS: Ty = Ty::Struct(&QGROUP_LIMIT);
/// A struct and what follows it: as much as the kernel itself takes at once.
const PAGE: usize = 4096;

structs! {
    pub VOLUME = btrfs_ioctl_vol_args { fd: Ty::Fd, name: Ty::CStr }
    pub VOLUME_V2 = btrfs_ioctl_vol_args_v2 {
        fd: Ty::Fd, flags: SUBVOLUME, size: Ty::U64 => INHERITS,
        qgroup_inherit: Ty::Custom(Irregular::QgroupInherit, &Ty::Buffer(Dir::In, Len::Of("size"), PAGE as u32)) => INHERITS,
        name: Ty::CStr
    }
    pub VOLUME_V2_REPLY = btrfs_ioctl_vol_args_v2 { transid: Ty::U64 }
    pub DEVICE_V2 = btrfs_ioctl_vol_args_v2 {
        fd: Ty::Fd, flags: Ty::As(Width::W8, &Ty::Flags(&DEVICE_FLAGS)),
        devid: Ty::Dev => When::AnySet("flags", &[c::BTRFS_DEVICE_SPEC_BY_ID]),
        name: Ty::CStr => When::OneOf("flags", c::BTRFS_DEVICE_SPEC_BY_ID, &[0])
    }
    pub DELETE_V2 = btrfs_ioctl_vol_args_v2 {
        fd: Ty::Fd, flags: Ty::As(Width::W8, &Ty::Flags(&DELETE_FLAGS)),
        subvolid: OBJECT => When::AnySet("flags", &[c::BTRFS_SUBVOL_SPEC_BY_ID]),
        name: Ty::CStr => When::OneOf("flags", c::BTRFS_SUBVOL_SPEC_BY_ID, &[0])
    }
    pub QGROUP_INHERIT = btrfs_qgroup_inherit {
        flags: Ty::As(Width::W8, &Ty::Flags(&INHERIT_FLAGS)), num_qgroups: Ty::U64, num_ref_copies: Ty::U64,
        num_excl_copies: Ty::U64, lim: LIMITS
    }
    pub QGROUP_LIMIT = btrfs_qgroup_limit {
        flags: Ty::As(Width::W8, &Ty::Flags(&LIMIT_FLAGS)), max_rfer: Ty::U64, max_excl: Ty::U64, rsv_rfer: Ty::U64,
        rsv_excl: Ty::U64
    }
    pub QGROUP_LIMIT_ARGS = btrfs_ioctl_qgroup_limit_args { qgroupid: Ty::U64, lim: LIMITS }
    pub QGROUP_ASSIGN = btrfs_ioctl_qgroup_assign_args { assign: Ty::U64, src: Ty::U64, dst: Ty::U64 }
    pub QGROUP_CREATE = btrfs_ioctl_qgroup_create_args { create: Ty::U64, qgroupid: Ty::U64 }
    pub QUOTA = btrfs_ioctl_quota_ctl_args { cmd: Ty::As(Width::W8, &Ty::Enum(&QUOTA_COMMANDS)) }
    pub RESCAN = btrfs_ioctl_quota_rescan_args { flags: HEX64 }
    pub RESCAN_STATUS = btrfs_ioctl_quota_rescan_args { flags: HEX64, progress: OBJECT }
    pub BALANCE_PART = btrfs_balance_args {
        profiles: BLOCKS, usage: NUMBER, devid: Ty::Dev, pstart: NUMBER, pend: NUMBER, vstart: NUMBER, vend: NUMBER,
        target: NUMBER, flags: Ty::As(Width::W8, &Ty::Flags(&BALANCE_ARGS))
    }
    pub BALANCE = btrfs_ioctl_balance_args {
        flags: Ty::As(Width::W8, &Ty::Flags(&BALANCE_FLAGS)), data: PART => BALANCES_DATA, meta: PART => BALANCES_METADATA,
        sys: PART => BALANCES_SYSTEM
    }
    pub BALANCED = btrfs_ioctl_balance_args {
        flags: Ty::As(Width::W8, &Ty::Flags(&BALANCE_FLAGS)), state: Ty::As(Width::W8, &Ty::Flags(&BALANCE_STATE)),
        data: PART => BALANCES_DATA, meta: PART => BALANCES_METADATA, sys: PART => BALANCES_SYSTEM
    }
    pub DEFRAG = btrfs_ioctl_defrag_range_args {
        start: NUMBER, len: NUMBER, flags: Ty::As(Width::W8, &Ty::Flags(&DEFRAG_FLAGS)), extent_thresh: Ty::UInt,
        compress_type: Ty::Enum(&COMPRESSION)
    }
}

const INHERITS: When = When::AnySet("flags", &[c::BTRFS_SUBVOL_QGROUP_INHERIT]);

structs! {
    pub SEARCH_KEY = btrfs_ioctl_search_key {
        tree_id: OBJECT, min_objectid: Ty::Custom(Irregular::Unusual(c::BTRFS_FIRST_FREE_OBJECTID), &OBJECT),
        max_objectid: Ty::Custom(Irregular::Unusual(c::BTRFS_LAST_FREE_OBJECTID), &OBJECT), min_offset: NUMBER,
        max_offset: NUMBER, min_transid: NUMBER, max_transid: NUMBER, min_type: KEY, max_type: KEY, nr_items: Ty::UInt
    }
    pub SEARCH = btrfs_ioctl_search_args { key: Ty::Struct(&SEARCH_KEY) }
    pub SEARCH_V2 = btrfs_ioctl_search_args_v2 { key: Ty::Struct(&SEARCH_KEY), buf_size: Ty::U64 }
    pub FOUND = btrfs_ioctl_search_header { transid: Ty::U64, objectid: OBJECT, offset: Ty::U64, r#type: KEY, len: Ty::UInt }
    pub LOOKUP = btrfs_ioctl_ino_lookup_args { treeid: OBJECT, objectid: OBJECT }
    pub LOOKUP_REPLY = btrfs_ioctl_ino_lookup_args { treeid: Ty::Custom(Irregular::FilledIn("treeid"), &OBJECT), name: Ty::CStr }
    pub SPACES = btrfs_ioctl_space_args { space_slots: Ty::U64 }
    pub SPACES_REPLY = btrfs_ioctl_space_args { total_spaces: Ty::U64 }
    pub SPACE = btrfs_ioctl_space_info { flags: BLOCKS, total_bytes: Ty::U64, used_bytes: Ty::U64 }
    pub SCRUB = btrfs_ioctl_scrub_args {
        devid: Ty::Dev, start: NUMBER, end: NUMBER, flags: Ty::As(Width::W8, &Ty::Flags(&SCRUB_FLAGS))
    }
    pub SCRUB_DEVICE = btrfs_ioctl_scrub_args { devid: Ty::Dev }
    pub SCRUBBED = btrfs_ioctl_scrub_args { progress: Ty::Struct(&SCRUB_PROGRESS) }
    pub SCRUB_PROGRESS = btrfs_scrub_progress {
        data_extents_scrubbed: Ty::U64, tree_extents_scrubbed: Ty::U64, data_bytes_scrubbed: Ty::U64,
        tree_bytes_scrubbed: Ty::U64, read_errors: Ty::U64, csum_errors: Ty::U64, verify_errors: Ty::U64, no_csum: Ty::U64,
        csum_discards: Ty::U64, super_errors: Ty::U64, malloc_errors: Ty::U64, uncorrectable_errors: Ty::U64,
        corrected_errors: Ty::U64, last_physical: Ty::U64, unverified_errors: Ty::U64
    }
    pub DEVICE_INFO = btrfs_ioctl_dev_info_args { devid: Ty::Dev, uuid: Ty::NonZero(&UUID) }
    pub DEVICE_INFO_REPLY = btrfs_ioctl_dev_info_args {
        uuid: Ty::NonZero(&UUID), bytes_used: Ty::U64, total_bytes: Ty::U64, path: Ty::CStr
    }
    pub INODE_PATHS = btrfs_ioctl_ino_path_args { inum: Ty::U64, size: Ty::U64, fspath: Ty::As(Width::W8, &Ty::Addr) }
    pub INODE_PATHS_REPLY = btrfs_ioctl_ino_path_args {
        fspath: Ty::Custom(Irregular::InodePaths, &Ty::Buffer(Dir::Out, Len::Of("size"), PAGE as u32)), size: Ty::U64 => When::Never
    }
    pub INODES = btrfs_ioctl_logical_ino_args {
        logical: Ty::U64, size: Ty::U64, reserved: Ty::NonZero(&Ty::Items(&HEX64)),
        flags: Ty::As(Width::W8, &Ty::Flags(&LOGICAL_FLAGS)), inodes: Ty::As(Width::W8, &Ty::Addr)
    }
    pub INODES_REPLY = btrfs_ioctl_logical_ino_args {
        inodes: Ty::Custom(Irregular::InodesOfExtent, &Ty::Buffer(Dir::Out, Len::Of("size"), PAGE as u32)),
        size: Ty::U64 => When::Never
    }
    pub CONTAINER = btrfs_data_container {
        bytes_left: Ty::UInt, bytes_missing: Ty::UInt, elem_cnt: Ty::UInt, elem_missed: Ty::UInt
    }
    pub TIMESPEC = btrfs_ioctl_timespec { sec: Ty::U64, nsec: Ty::UInt }
    pub RECEIVED = btrfs_ioctl_received_subvol_args { uuid: UUID, stransid: Ty::U64, stime: TIME, flags: HEX64 }
    pub RECEIVED_REPLY = btrfs_ioctl_received_subvol_args { rtransid: Ty::U64, rtime: TIME }
    pub SEND = btrfs_ioctl_send_args {
        send_fd: Ty::Fd, clone_sources_count: Ty::U64,
        clone_sources: Ty::Custom(Irregular::InFull, &Ty::Array(Dir::In, &OBJECT, Len::Of("clone_sources_count"))),
        parent_root: OBJECT, flags: Ty::As(Width::W8, &Ty::Flags(&SEND_FLAGS))
    }
    pub DEVICE_STATS = btrfs_ioctl_get_dev_stats {
        devid: Ty::Dev, nr_items: Ty::U64, flags: Ty::As(Width::W8, &Ty::Flags(&STATS_FLAGS))
    }
    pub DEVICE_STATS_REPLY = btrfs_ioctl_get_dev_stats {
        nr_items: Ty::U64, flags: Ty::As(Width::W8, &Ty::Flags(&STATS_FLAGS)),
        values as "" = "values": Ty::Custom(Irregular::DeviceStats, &Ty::Items(&Ty::U64))
    }
    pub REPLACE_START = btrfs_ioctl_dev_replace_start_params {
        srcdevid: Ty::Dev, cont_reading_from_srcdev_mode: Ty::As(Width::W8, &Ty::Enum(&SOURCE_MODES)), srcdev_name: Ty::CStr,
        tgtdev_name: Ty::CStr
    }
    pub REPLACE_STATUS = btrfs_ioctl_dev_replace_status_params {
        replace_state: Ty::As(Width::W8, &Ty::Enum(&REPLACE_STATES)),
        progress_1000: Ty::Custom(Irregular::Thousandths, &Ty::U64), time_started: SECONDS, time_stopped: SECONDS,
        num_write_errors: Ty::U64, num_uncorrectable_read_errors: Ty::U64
    }
    pub REPLACE = btrfs_ioctl_dev_replace_args {
        cmd: Ty::As(Width::W8, &Ty::Enum(&REPLACE_COMMANDS)),
        start: Ty::Struct(&REPLACE_START) => When::OneOf("cmd", !0, &[c::BTRFS_IOCTL_DEV_REPLACE_CMD_START])
    }
    pub REPLACED = btrfs_ioctl_dev_replace_args {
        result: Ty::As(Width::W8, &Ty::Enum(&REPLACE_RESULTS)),
        status: Ty::Struct(&REPLACE_STATUS) => When::OneOf("cmd", !0, &[c::BTRFS_IOCTL_DEV_REPLACE_CMD_STATUS]),
        cmd: Ty::U64 => When::Never
    }
    pub FEATURES = btrfs_ioctl_feature_flags {
        compat_flags: Ty::As(Width::W8, &Ty::Flags(&COMPATIBLE)),
        compat_ro_flags: Ty::As(Width::W8, &Ty::Flags(&COMPATIBLE_TO_READ)),
        incompat_flags: Ty::As(Width::W8, &Ty::Flags(&INCOMPATIBLE))
    }
    pub INFO = btrfs_ioctl_fs_info_args {
        max_id: NUMBER, num_devices: NUMBER, fsid: UUID, nodesize: Ty::UInt, sectorsize: Ty::UInt, clone_alignment: Ty::UInt,
        csum_type: Ty::As(Width::W2, &Ty::Enum(&CHECKSUMS)) => When::AnySet("flags", &[c::BTRFS_FS_INFO_FLAG_CSUM_INFO]),
        csum_size: Ty::UInt => When::AnySet("flags", &[c::BTRFS_FS_INFO_FLAG_CSUM_INFO]),
        flags: Ty::As(Width::W8, &Ty::Flags(&INFO_FLAGS)),
        generation: NUMBER => When::AnySet("flags", &[c::BTRFS_FS_INFO_FLAG_GENERATION]),
        metadata_uuid: UUID => When::AnySet("flags", &[c::BTRFS_FS_INFO_FLAG_METADATA_UUID])
    }
}

const GIVEN_VOLUME: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&VOLUME));
const CREATED_VOLUME: Ty = Ty::Turn(&VOLUME_V2, &VOLUME_V2_REPLY);
const GIVEN_NUMBER: Ty = Ty::Array(Dir::In, &Ty::U64, Len::Fixed(1));
const RECEIVE: Ty = Ty::Turn(&RECEIVED, &RECEIVED_REPLY);
const SENDING: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&SEND));
const REPLACING: Ty = Ty::Turn(&REPLACE, &REPLACED);
const OF_EXTENT: Ty = Ty::Turn(&INODES, &INODES_REPLY);

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::BTRFS_IOC_SNAP_CREATE, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_SUBVOL_CREATE, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_SNAP_DESTROY, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_RESIZE, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_SCAN_DEV, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_FORGET_DEV, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_DEVICES_READY, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_ADD_DEV, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_RM_DEV, GIVEN_VOLUME),
    Case(c::BTRFS_IOC_RM_DEV_V2, Ty::Ptr(Dir::In, &Ty::Struct(&DEVICE_V2))),
    Case(c::BTRFS_IOC_SNAP_DESTROY_V2, Ty::Ptr(Dir::In, &Ty::Struct(&DELETE_V2))),
    Case(c::BTRFS_IOC_SNAP_CREATE_V2, CREATED_VOLUME),
    Case(c::BTRFS_IOC_SUBVOL_CREATE_V2, CREATED_VOLUME),
    Case(c::BTRFS_IOC_DEFAULT_SUBVOL, GIVEN_NUMBER),
    Case(c::BTRFS_IOC_WAIT_SYNC, GIVEN_NUMBER),
    Case(c::BTRFS_IOC_START_SYNC, Ty::Array(Dir::Out, &Ty::U64, Len::Fixed(1))),
    Case(c::BTRFS_IOC_SUBVOL_SETFLAGS, Ty::Ptr(Dir::In, &SUBVOLUME)),
    Case(c::BTRFS_IOC_SUBVOL_GETFLAGS, Ty::Ptr(Dir::Out, &SUBVOLUME)),
    Case(c::BTRFS_IOC_BALANCE_CTL, Ty::Enum(&BALANCE_COMMANDS)),
    Case(c::BTRFS_IOC_BALANCE_V2, Ty::Turn(&BALANCE, &BALANCED)),
    Case(c::BTRFS_IOC_BALANCE_PROGRESS, Ty::Ptr(Dir::Out, &Ty::Struct(&BALANCED))),
    Case(c::BTRFS_IOC_DEFRAG_RANGE, Ty::Ptr(Dir::In, &Ty::Struct(&DEFRAG))),
    Case(
        c::BTRFS_IOC_TREE_SEARCH,
        Ty::Custom(Irregular::TreeSearch(false), &Ty::Buffer(Dir::InOutAlways, Len::Fixed(PAGE), PAGE as u32)),
    ),
    Case(
        c::BTRFS_IOC_TREE_SEARCH_V2,
        Ty::Custom(Irregular::TreeSearch(true), &Ty::Buffer(Dir::InOutAlways, Len::Fixed(PAGE), PAGE as u32)),
    ),
    Case(c::BTRFS_IOC_INO_LOOKUP, Ty::Turn(&LOOKUP, &LOOKUP_REPLY)),
    Case(c::BTRFS_IOC_SPACE_INFO, Ty::Custom(Irregular::Spaces, &Ty::Buffer(Dir::InOut, Len::Fixed(1024), 1024))),
    Case(c::BTRFS_IOC_SCRUB, Ty::Turn(&SCRUB, &SCRUBBED)),
    Case(c::BTRFS_IOC_SCRUB_PROGRESS, Ty::Turn(&SCRUB_DEVICE, &SCRUBBED)),
    Case(c::BTRFS_IOC_DEV_INFO, Ty::Turn(&DEVICE_INFO, &DEVICE_INFO_REPLY)),
    Case(c::BTRFS_IOC_INO_PATHS, Ty::Turn(&INODE_PATHS, &INODE_PATHS_REPLY)),
    Case(c::BTRFS_IOC_LOGICAL_INO, OF_EXTENT),
    Case(c::BTRFS_IOC_LOGICAL_INO_V2, OF_EXTENT),
    Case(c::BTRFS_IOC_SET_RECEIVED_SUBVOL, RECEIVE),
    Case(i386::BTRFS_IOC_SET_RECEIVED_SUBVOL, RECEIVE),
    Case(c::BTRFS_IOC_SEND, SENDING),
    Case(i386::BTRFS_IOC_SEND, SENDING),
    Case(c::BTRFS_IOC_QUOTA_CTL, Ty::Exchange(&QUOTA)),
    Case(c::BTRFS_IOC_QGROUP_ASSIGN, Ty::Ptr(Dir::In, &Ty::Struct(&QGROUP_ASSIGN))),
    Case(c::BTRFS_IOC_QGROUP_CREATE, Ty::Ptr(Dir::In, &Ty::Struct(&QGROUP_CREATE))),
    Case(c::BTRFS_IOC_QGROUP_LIMIT, Ty::Ptr(Dir::In, &Ty::Struct(&QGROUP_LIMIT_ARGS))),
    Case(c::BTRFS_IOC_QUOTA_RESCAN, Ty::Ptr(Dir::In, &Ty::Struct(&RESCAN))),
    Case(c::BTRFS_IOC_QUOTA_RESCAN_STATUS, Ty::Ptr(Dir::Out, &Ty::Struct(&RESCAN_STATUS))),
    Case(c::BTRFS_IOC_GET_DEV_STATS, Ty::Turn(&DEVICE_STATS, &DEVICE_STATS_REPLY)),
    Case(c::BTRFS_IOC_DEV_REPLACE, REPLACING),
    Case(i386::BTRFS_IOC_DEV_REPLACE, REPLACING),
    Case(c::BTRFS_IOC_SET_FEATURES, Ty::Array(Dir::In, &Ty::Struct(&FEATURES), Len::Fixed(2))),
    Case(c::BTRFS_IOC_GET_FEATURES, Ty::Ptr(Dir::Out, &Ty::Struct(&FEATURES))),
    Case(
        c::BTRFS_IOC_GET_SUPPORTED_FEATURES,
        Ty::Custom(Irregular::SupportedFeatures, &Ty::Array(Dir::Out, &Ty::Struct(&FEATURES), Len::Fixed(3))),
    ),
    Case(c::BTRFS_IOC_FS_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&INFO))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[
    c::BTRFS_IOC_TRANS_START,
    c::BTRFS_IOC_TRANS_END,
    c::BTRFS_IOC_SYNC,
    c::BTRFS_IOC_SCRUB_CANCEL,
    c::BTRFS_IOC_QUOTA_RESCAN_WAIT,
    // These take an argument that the kernel does not look at.
    c::BTRFS_IOC_BALANCE,
    c::BTRFS_IOC_DEFRAG,
];
