//! Mounting, quotas, swap.

use crate::sets::mount::*;
use crate::sets::paths::FS_TYPE;
use crate::uapi::consts as c;
use crate::{Irregular, Ty, When, Width, structs};

const ATTRS: Ty = Ty::As(Width::W8, &Ty::Flags(&MOUNT_ATTRS));
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

/// A member of `struct statmount` that was asked for.
const fn given(bits: &'static [u64]) -> When {
    When::AnySet("mask", bits)
}

structs! {
    /// mount_setattr(2): linux/mount.h
    pub MOUNT_ATTR = mount_attr {
        attr_set: ATTRS, attr_clr: ATTRS, propagation: Ty::As(Width::W8, &Ty::Enum(&PROPAGATION)),
        userns_fd: Ty::U64 => When::NoneOf("attr_set", c::MOUNT_ATTR_IDMAP, &[c::MOUNT_ATTR_IDMAP]),
        userns_fd: Ty::Fd => When::AnySet("attr_set", &[c::MOUNT_ATTR_IDMAP])
    }
    /// statmount(2): linux/mount.h
    pub STATMOUNT_REQ = mnt_id_req {
        size: Ty::UInt, mnt_ns_fd: Ty::Fd, mnt_id: HEX64, param: Ty::As(Width::W8, &Ty::Flags(&STATMOUNT_MASK)),
        mnt_ns_id: HEX64
    }
    /// listmount(2): linux/mount.h
    pub LISTMOUNT_REQ = mnt_id_req {
        size: Ty::UInt, mnt_ns_fd: Ty::Fd, mnt_id: Ty::As(Width::W8, &Ty::Flags(&LISTMOUNT_ROOT)), param: HEX64,
        mnt_ns_id: HEX64
    }
    /// listns(2): linux/nsfs.h
    pub LISTNS_REQ = ns_id_req {
        size: Ty::UInt, spare: Ty::NonZero(&Ty::Hex), ns_id: HEX64, ns_type: Ty::Flags(&NS_TYPES),
        spare2: Ty::NonZero(&Ty::Hex), user_ns_id: Ty::As(Width::W8, &Ty::Enum(&USER_NS_ID))
    }
    /// The struct that statmount(2) fills in; strings are offsets into what follows.
    pub STATMOUNT = statmount {
        size: Ty::UInt,
        mnt_opts: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_MNT_OPTS]),
        mask: Ty::As(Width::W8, &Ty::Flags(&STATMOUNT_MASK)),
        sb_dev_major: Ty::UInt => given(&[c::STATMOUNT_SB_BASIC]),
        sb_dev_minor: Ty::UInt => given(&[c::STATMOUNT_SB_BASIC]),
        sb_magic: Ty::As(Width::W8, &Ty::Enum(&FS_TYPE)) => given(&[c::STATMOUNT_SB_BASIC]),
        sb_flags: Ty::Flags(&SB_FLAGS) => given(&[c::STATMOUNT_SB_BASIC]),
        fs_type: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_FS_TYPE]),
        mnt_id: HEX64 => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_parent_id: HEX64 => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_id_old: Ty::Hex => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_parent_id_old: Ty::Hex => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_attr: ATTRS => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_propagation: Ty::As(Width::W8, &Ty::Flags(&PROPAGATION)) => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_peer_group: HEX64 => given(&[c::STATMOUNT_MNT_BASIC]),
        mnt_master: HEX64 => given(&[c::STATMOUNT_MNT_BASIC]),
        propagate_from: HEX64 => given(&[c::STATMOUNT_PROPAGATE_FROM]),
        mnt_root: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_MNT_ROOT]),
        mnt_point: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_MNT_POINT]),
        mnt_ns_id: HEX64 => given(&[c::STATMOUNT_MNT_NS_ID]),
        fs_subtype: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_FS_SUBTYPE]),
        sb_source: Ty::Custom(Irregular::StatmountStr, &Ty::UInt) => given(&[c::STATMOUNT_SB_SOURCE]),
        opt_num: Ty::UInt => given(&[c::STATMOUNT_OPT_ARRAY]),
        opt_array: Ty::Custom(Irregular::StatmountStrs("opt_num"), &Ty::UInt) => given(&[c::STATMOUNT_OPT_ARRAY]),
        opt_sec_num: Ty::UInt => given(&[c::STATMOUNT_OPT_SEC_ARRAY]),
        opt_sec_array: Ty::Custom(Irregular::StatmountStrs("opt_sec_num"), &Ty::UInt) => given(&[c::STATMOUNT_OPT_SEC_ARRAY]),
        supported_mask: Ty::As(Width::W8, &Ty::Flags(&STATMOUNT_MASK)) => given(&[c::STATMOUNT_SUPPORTED_MASK]),
        mnt_uidmap_num: Ty::UInt => given(&[c::STATMOUNT_MNT_UIDMAP]),
        mnt_uidmap: Ty::Custom(Irregular::StatmountStrs("mnt_uidmap_num"), &Ty::UInt) => given(&[c::STATMOUNT_MNT_UIDMAP]),
        mnt_gidmap_num: Ty::UInt => given(&[c::STATMOUNT_MNT_GIDMAP]),
        mnt_gidmap: Ty::Custom(Irregular::StatmountStrs("mnt_gidmap_num"), &Ty::UInt) => given(&[c::STATMOUNT_MNT_GIDMAP])
    }
}

structs! {
    /// quotactl(2): linux/quota.h
    pub DQBLK = if_dqblk {
        dqb_bhardlimit: Ty::U64, dqb_bsoftlimit: Ty::U64, dqb_curspace: Ty::U64, dqb_ihardlimit: Ty::U64,
        dqb_isoftlimit: Ty::U64, dqb_curinodes: Ty::U64, [v] dqb_btime: Ty::U64, [v] dqb_itime: Ty::U64,
        [v] dqb_valid: Ty::Flags(&DQBLK_VALID)
    }
    /// quotactl(2): linux/quota.h
    pub NEXTDQBLK = if_nextdqblk {
        dqb_bhardlimit: Ty::U64, dqb_bsoftlimit: Ty::U64, dqb_curspace: Ty::U64, dqb_ihardlimit: Ty::U64,
        dqb_isoftlimit: Ty::U64, dqb_curinodes: Ty::U64, [v] dqb_btime: Ty::U64, [v] dqb_itime: Ty::U64,
        [v] dqb_valid: Ty::Flags(&DQBLK_VALID), dqb_id: Ty::UInt
    }
    /// quotactl(2): linux/quota.h
    pub DQINFO = if_dqinfo {
        dqi_bgrace: Ty::U64, dqi_igrace: Ty::U64, dqi_flags: Ty::Flags(&DQINFO_FLAGS), dqi_valid: Ty::Flags(&DQINFO_VALID)
    }
    /// quotactl(2): linux/dqblk_xfs.h
    pub XFS_DISK_QUOTA = fs_disk_quota {
        d_version: Ty::Int, d_flags: Ty::Flags(&XFS_DQBLK_FLAGS), d_fieldmask: Ty::Hex, d_id: Ty::UInt,
        d_blk_hardlimit: Ty::U64, d_blk_softlimit: Ty::U64, d_ino_hardlimit: Ty::U64, d_ino_softlimit: Ty::U64,
        d_bcount: Ty::U64, d_icount: Ty::U64, [v] d_itimer: Ty::Int, [v] d_btimer: Ty::Int, [v] d_iwarns: Ty::UInt,
        [v] d_bwarns: Ty::UInt, [v] d_rtb_hardlimit: Ty::U64, [v] d_rtb_softlimit: Ty::U64, [v] d_rtbcount: Ty::U64,
        [v] d_rtbtimer: Ty::Int, [v] d_rtbwarns: Ty::UInt
    }
    /// linux/dqblk_xfs.h
    pub XFS_QFILESTAT = fs_qfilestat { qfs_ino: Ty::U64, qfs_nblks: Ty::U64, qfs_nextents: Ty::UInt }
    /// quotactl(2): linux/dqblk_xfs.h
    pub XFS_QUOTA_STAT = fs_quota_stat {
        qs_version: Ty::Int, [v] qs_flags: Ty::Flags(&XFS_QUOTA_FLAGS), [v] qs_uquota: Ty::Struct(&XFS_QFILESTAT),
        [v] qs_gquota: Ty::Struct(&XFS_QFILESTAT), [v] qs_incoredqs: Ty::UInt, [v] qs_btimelimit: Ty::Int,
        [v] qs_itimelimit: Ty::Int, [v] qs_rtbtimelimit: Ty::Int, [v] qs_bwarnlimit: Ty::UInt, [v] qs_iwarnlimit: Ty::UInt
    }
    /// quotactl(2): linux/dqblk_xfs.h
    pub XFS_QUOTA_STATV = fs_quota_statv {
        qs_version: Ty::Int, [v] qs_flags: Ty::Flags(&XFS_QUOTA_FLAGS), [v] qs_incoredqs: Ty::UInt,
        [v] qs_uquota: Ty::Struct(&XFS_QFILESTAT), [v] qs_gquota: Ty::Struct(&XFS_QFILESTAT),
        [v] qs_pquota: Ty::Struct(&XFS_QFILESTAT), [v] qs_btimelimit: Ty::Int, [v] qs_itimelimit: Ty::Int,
        [v] qs_rtbtimelimit: Ty::Int, [v] qs_bwarnlimit: Ty::UInt, [v] qs_iwarnlimit: Ty::UInt
    }
}
