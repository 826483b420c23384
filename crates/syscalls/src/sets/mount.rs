//! Mounting, quotas, swap.

use crate::sets;

sets! {
    /// mount(2): linux/mount.h, linux/fs.h
    pub MOUNT_FLAGS "MS_???" {
        MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_SYNCHRONOUS, MS_REMOUNT, MS_MANDLOCK, MS_DIRSYNC, MS_NOSYMFOLLOW,
        MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_MOVE, MS_REC, MS_SILENT, MS_POSIXACL, MS_UNBINDABLE, MS_PRIVATE, MS_SLAVE,
        MS_SHARED, MS_RELATIME, MS_KERNMOUNT, MS_I_VERSION, MS_STRICTATIME, MS_LAZYTIME, MS_SUBMOUNT, MS_NOREMOTELOCK,
        MS_NOSEC, MS_BORN, MS_ACTIVE, MS_NOUSER = 0x8000_0000
    }
    /// The mark that programs of old put into mount flags.
    pub MOUNT_MAGIC "MS_???" { MS_MGC_VAL }
    /// umount2(2): linux/fs.h
    pub UMOUNT_FLAGS "MNT_???" { MNT_FORCE, MNT_DETACH, MNT_EXPIRE, UMOUNT_NOFOLLOW }
    /// fsopen(2): linux/mount.h
    pub FSOPEN_FLAGS "FSOPEN_???" { FSOPEN_CLOEXEC }
    /// fsconfig(2): linux/mount.h
    pub FSCONFIG_CMDS "FSCONFIG_???" {
        FSCONFIG_SET_FLAG, FSCONFIG_SET_STRING, FSCONFIG_SET_BINARY, FSCONFIG_SET_PATH, FSCONFIG_SET_PATH_EMPTY,
        FSCONFIG_SET_FD, FSCONFIG_CMD_CREATE, FSCONFIG_CMD_RECONFIGURE, FSCONFIG_CMD_CREATE_EXCL
    }
    /// fsmount(2): linux/mount.h (the second since Linux 7.0)
    pub FSMOUNT_FLAGS "FSMOUNT_???" { FSMOUNT_CLOEXEC, FSMOUNT_NAMESPACE = 2 }
    /// fspick(2): linux/mount.h
    pub FSPICK_FLAGS "FSPICK_???" {
        FSPICK_CLOEXEC, FSPICK_SYMLINK_NOFOLLOW, FSPICK_NO_AUTOMOUNT, FSPICK_EMPTY_PATH
    }
    /// Attributes that fsmount(2) takes: linux/mount.h
    pub FSMOUNT_ATTRS "MOUNT_ATTR_???" {
        MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOEXEC, MOUNT_ATTR__ATIME, MOUNT_ATTR_NOATIME,
        MOUNT_ATTR_STRICTATIME, MOUNT_ATTR_NODIRATIME, MOUNT_ATTR_NOSYMFOLLOW
    }
    /// mount_setattr(2): linux/mount.h
    pub MOUNT_ATTRS "MOUNT_ATTR_???" {
        MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOEXEC, MOUNT_ATTR__ATIME, MOUNT_ATTR_NOATIME,
        MOUNT_ATTR_STRICTATIME, MOUNT_ATTR_NODIRATIME, MOUNT_ATTR_IDMAP, MOUNT_ATTR_NOSYMFOLLOW
    }
    /// Propagation types: linux/mount.h
    pub PROPAGATION "MS_???" { MS_UNBINDABLE, MS_PRIVATE, MS_SLAVE, MS_SHARED }
    /// Flags of a superblock as statmount(2) reports them: linux/mount.h
    pub SB_FLAGS "MS_???" { MS_RDONLY, MS_SYNCHRONOUS, MS_DIRSYNC, MS_LAZYTIME }
    /// move_mount(2): linux/mount.h
    pub MOVE_MOUNT_FLAGS "MOVE_MOUNT_???" {
        MOVE_MOUNT_F_SYMLINKS, MOVE_MOUNT_F_AUTOMOUNTS, MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_SYMLINKS,
        MOVE_MOUNT_T_AUTOMOUNTS, MOVE_MOUNT_T_EMPTY_PATH, MOVE_MOUNT_SET_GROUP, MOVE_MOUNT_BENEATH
    }
    /// open_tree(2): linux/mount.h, linux/fcntl.h (the second since Linux 7.0)
    pub OPEN_TREE_FLAGS "OPEN_TREE_???" {
        OPEN_TREE_CLONE, OPEN_TREE_NAMESPACE = 2, OPEN_TREE_CLOEXEC, AT_SYMLINK_NOFOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH,
        AT_RECURSIVE
    }
    /// mount_setattr(2): linux/fcntl.h
    pub MOUNT_SETATTR_FLAGS "AT_???" { AT_SYMLINK_NOFOLLOW, AT_NO_AUTOMOUNT, AT_EMPTY_PATH, AT_RECURSIVE }
    /// statmount(2), since Linux 7.0: linux/mount.h
    pub STATMOUNT_FLAGS "STATMOUNT_???" { STATMOUNT_BY_FD = 1 }
    /// The fields that statmount(2) is asked for: linux/mount.h
    pub STATMOUNT_MASK "STATMOUNT_???" {
        STATMOUNT_SB_BASIC, STATMOUNT_MNT_BASIC, STATMOUNT_PROPAGATE_FROM, STATMOUNT_MNT_ROOT, STATMOUNT_MNT_POINT,
        STATMOUNT_FS_TYPE, STATMOUNT_MNT_NS_ID, STATMOUNT_MNT_OPTS, STATMOUNT_FS_SUBTYPE, STATMOUNT_SB_SOURCE,
        STATMOUNT_OPT_ARRAY, STATMOUNT_OPT_SEC_ARRAY, STATMOUNT_SUPPORTED_MASK, STATMOUNT_MNT_UIDMAP, STATMOUNT_MNT_GIDMAP
    }
    /// listmount(2): linux/mount.h
    pub LISTMOUNT_FLAGS "LISTMOUNT_???" { LISTMOUNT_REVERSE }
    /// The mount that listmount(2) starts at: linux/mount.h
    pub LISTMOUNT_ROOT "" { LSMT_ROOT }
    /// swapon(2): linux/swap.h
    pub SWAP_FLAGS "SWAP_FLAG_???" { SWAP_FLAG_PREFER, SWAP_FLAG_DISCARD, SWAP_FLAG_DISCARD_ONCE, SWAP_FLAG_DISCARD_PAGES }
}

sets! {
    /// quotactl(2) operations: linux/quota.h, linux/dqblk_xfs.h
    pub QUOTA_CMDS "Q_???" {
        Q_SYNC = 0x80_0001, Q_QUOTAON = 0x80_0002, Q_QUOTAOFF = 0x80_0003, Q_GETFMT = 0x80_0004, Q_GETINFO = 0x80_0005,
        Q_SETINFO = 0x80_0006, Q_GETQUOTA = 0x80_0007, Q_SETQUOTA = 0x80_0008, Q_GETNEXTQUOTA = 0x80_0009,
        Q_XQUOTAON, Q_XQUOTAOFF, Q_XGETQUOTA, Q_XSETQLIM, Q_XGETQSTAT, Q_XQUOTARM, Q_XQUOTASYNC, Q_XGETQSTATV,
        Q_XGETNEXTQUOTA
    }
    /// quotactl(2): linux/quota.h
    pub QUOTA_TYPES "???QUOTA" { USRQUOTA, GRPQUOTA, PRJQUOTA }
    /// Quota formats: linux/quota.h
    pub QUOTA_FORMATS "QFMT_???" { QFMT_VFS_OLD, QFMT_VFS_V0, QFMT_OCFS2, QFMT_VFS_V1, QFMT_SHMEM }
    /// linux/quota.h
    pub DQBLK_VALID "QIF_???" { QIF_BLIMITS, QIF_SPACE, QIF_ILIMITS, QIF_INODES, QIF_BTIME, QIF_ITIME }
    /// linux/quota.h
    pub DQINFO_FLAGS "DQF_???" { DQF_ROOT_SQUASH, DQF_SYS_FILE }
    /// linux/quota.h
    pub DQINFO_VALID "IIF_???" { IIF_BGRACE, IIF_IGRACE, IIF_FLAGS }
    /// linux/dqblk_xfs.h
    pub XFS_DQBLK_FLAGS "FS_???_QUOTA" { FS_USER_QUOTA, FS_PROJ_QUOTA, FS_GROUP_QUOTA }
    /// linux/dqblk_xfs.h
    pub XFS_QUOTA_FLAGS "FS_QUOTA_???" {
        FS_QUOTA_UDQ_ACCT, FS_QUOTA_UDQ_ENFD, FS_QUOTA_GDQ_ACCT, FS_QUOTA_GDQ_ENFD, FS_QUOTA_PDQ_ACCT, FS_QUOTA_PDQ_ENFD
    }
    /// Kinds of namespaces: linux/nsfs.h, 6.18
    pub NS_TYPES "???_NS" {
        TIME_NS = 0x80, MNT_NS = 0x2_0000, CGROUP_NS = 0x200_0000, UTS_NS = 0x400_0000, IPC_NS = 0x800_0000,
        USER_NS = 0x1000_0000, PID_NS = 0x2000_0000, NET_NS = 0x4000_0000
    }
    /// linux/nsfs.h, 6.18
    pub USER_NS_ID "" { LISTNS_CURRENT_USER = 0xffff_ffff_ffff_ffff }
}
