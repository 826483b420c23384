//! Mounting, quotas, swap.

use crate::effect::{Effect, Thing, makes};
use crate::sets::mount::*;
use crate::structs::mount::*;
use crate::uapi::consts as c;
use crate::plan::MAX_GROWN;
use crate::{Arg, Class, Dir, Form, Irregular, SelectKey, Len, Ret, StartsAt, Syscall, Ty, When, Width, arg, form, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);
const ADMIN: Effect = Effect::NeedsCapability(c::CAP_SYS_ADMIN);
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

const DIRFD: Arg = arg("dirfd", Ty::DirFd);
const PATHNAME: Arg = arg("pathname", Ty::Path);
const ATTR: Arg = arg("attr", Ty::Extensible(Dir::In, &MOUNT_ATTR, Len::Of("size"), c::MOUNT_ATTR_SIZE_VER0 as usize));
const SIZE: Arg = arg("size", Ty::ULong);

/// A request that begins with its own size: as much as kernels know, and then as much as the size says.
const SIZED: &Ty = &Ty::Shapes(&[Ty::Ptr(Dir::In, &Ty::Blob(64)), Ty::Buffer(Dir::In, Len::Deref("req"), MAX_GROWN)]);
const REQ: Ty = Ty::Custom(Irregular::StatmountReq, SIZED);
const LISTNS_REQ: Ty = Ty::Custom(Irregular::ListnsReq, SIZED);
const LISTMOUNT_REQ: Ty = Ty::Custom(Irregular::ListmountReq, SIZED);

pub static ROWS: &[Syscall] = &[
    syscall("mount", Class::FILE, Ret::Int, &[
        arg("source", Ty::Path),
        arg("target", Ty::Path),
        arg("filesystemtype", Ty::Custom(Irregular::MountType, &Ty::Str)),
        arg("mountflags", Ty::Custom(Irregular::MountFlags, &Ty::As(Width::Word, &Ty::Flags(&MOUNT_FLAGS)))),
        arg("data", Ty::Custom(Irregular::MountData, &Ty::Str)),
    ]).in_kernel(&[("source", "dev_name"), ("target", "dir_name"), ("filesystemtype", "type"), ("mountflags", "flags")]).does(&[Effect::ChangesPaths, ADMIN]),
    syscall("umount", Class::FILE, Ret::Int, &[arg("target", Ty::Path)]).in_kernel(&[("target", "name")]).does(&[Effect::ChangesPaths, ADMIN]),
    syscall("umount2", Class::FILE, Ret::Int, &[arg("target", Ty::Path), arg("flags", Ty::Flags(&UMOUNT_FLAGS))]).in_kernel(&[("target", "name")]).does(&[Effect::ChangesPaths, ADMIN]),
    syscall("pivot_root", Class::FILE, Ret::Int, &[arg("oldpath", Ty::Path), arg("newpath", Ty::Path)]).in_kernel(&[("oldpath", "new_root"), ("newpath", "put_old")]).does(&[Effect::ChangesPaths, ADMIN]),
    syscall("fsopen", Class::DESC, Ret::Fd, &[arg("fsname", Ty::Str), arg("flags", Ty::Flags(&FSOPEN_FLAGS))]).in_kernel(&[("fsname", "_fs_name")]).does(&[makes(Thing::Mount).cloexec_if("flags", c::FSOPEN_CLOEXEC), ADMIN]),
    syscall("fsconfig", FILE_DESC, Ret::Int, &[
        FS_FD,
        FS_CMD,
        arg("key", Ty::Addr),
        arg("value", Ty::Addr),
        arg("aux", Ty::Int),
    ])
    .by(SelectKey::of("cmd"), FSCONFIG).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("fsmount", Class::DESC, Ret::Fd, &[
        arg("fd", Ty::Fd),
        arg("flags", Ty::Flags(&FSMOUNT_FLAGS)),
        arg("attr_flags", Ty::Flags(&FSMOUNT_ATTRS)),
    ]).in_kernel(&[("fd", "fs_fd")]).does(&[makes(Thing::Mount).cloexec_if("flags", c::FSMOUNT_CLOEXEC), ADMIN]),
    syscall("fspick", FILE_DESC, Ret::Fd, &[DIRFD, PATHNAME, arg("flags", Ty::Flags(&FSPICK_FLAGS))]).in_kernel(&[("dirfd", "dfd"), ("pathname", "path")]).does(&[makes(Thing::Mount).cloexec_if("flags", c::FSPICK_CLOEXEC), ADMIN]),
    syscall("move_mount", FILE_DESC, Ret::Int, &[
        arg("from_dfd", Ty::DirFd),
        arg("from_pathname", Ty::Path),
        arg("to_dfd", Ty::DirFd),
        arg("to_pathname", Ty::Path),
        arg("flags", Ty::Flags(&MOVE_MOUNT_FLAGS)),
    ]).does(&[Effect::ChangesPaths, ADMIN]),
    syscall("open_tree", FILE_DESC, Ret::Fd, &[DIRFD, PATHNAME, arg("flags", Ty::Flags(&OPEN_TREE_FLAGS))]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename")]).does(&[makes(Thing::Mount).cloexec_if("flags", c::OPEN_TREE_CLOEXEC)]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("open_tree_attr", FILE_DESC, Ret::Fd, &[
        DIRFD,
        PATHNAME,
        arg("flags", Ty::Flags(&OPEN_TREE_FLAGS)),
        ATTR,
        SIZE,
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "filename"), ("attr", "uattr"), ("size", "usize")]).does(&[makes(Thing::Mount).cloexec_if("flags", c::OPEN_TREE_CLOEXEC)]),
    syscall("mount_setattr", FILE_DESC, Ret::Int, &[
        DIRFD,
        PATHNAME,
        arg("flags", Ty::Flags(&MOUNT_SETATTR_FLAGS)),
        ATTR,
        SIZE,
    ]).in_kernel(&[("dirfd", "dfd"), ("pathname", "path"), ("attr", "uattr"), ("size", "usize")]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("statmount", Class::NONE, Ret::Int, &[
        arg("req", REQ),
        arg("buf", Ty::Custom(Irregular::Statmount, &Ty::Buffer(Dir::Out, Len::Of("bufsize"), 16 << 10))),
        arg("bufsize", Ty::ULong),
        arg("flags", Ty::Flags(&STATMOUNT_FLAGS)),
    ]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("listmount", Class::NONE, Ret::Int, &[
        arg("req", LISTMOUNT_REQ),
        arg("mnt_ids", Ty::Custom(Irregular::Ids("nr_mnt_ids"), &Ty::Array(Dir::Out, &HEX64, Len::Ret))),
        arg("nr_mnt_ids", Ty::ULong),
        arg("flags", Ty::Flags(&LISTMOUNT_FLAGS)),
    ]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("listns", Class::NONE, Ret::Int, &[
        arg("req", LISTNS_REQ),
        arg("ns_ids", Ty::Custom(Irregular::Ids("nr_ns_ids"), &Ty::Array(Dir::Out, &HEX64, Len::Ret))),
        arg("nr_ns_ids", Ty::ULong),
        arg("flags", Ty::Hex),
    ]),
    syscall("quotactl", Class::FILE, Ret::Int, &[
        QUOTA_OP,
        arg("special", Ty::Path),
        arg("id", Ty::Uid),
        arg("addr", Ty::Addr),
    ])
    .by(QUOTA_KEY, QUOTACTL).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("quotactl_fd", Class::DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        QUOTA_OP,
        arg("id", Ty::Uid),
        arg("addr", Ty::Addr),
    ])
    .by(QUOTA_KEY, QUOTACTL_FD).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("swapon", Class::FILE, Ret::Int, &[
        arg("path", Ty::Path),
        arg("swapflags", Ty::Custom(Irregular::SwapFlags, &Ty::Flags(&SWAP_FLAGS))),
    ]).in_kernel(&[("path", "specialfile"), ("swapflags", "swap_flags")]).does(&[ADMIN]),
    syscall("swapoff", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "specialfile")]).does(&[ADMIN]),
    syscall("nfsservctl", Class::NONE, Ret::Int, &[
        arg("arg1", Ty::HexLong),
        arg("arg2", Ty::HexLong),
        arg("arg3", Ty::HexLong),
    ]),
    syscall("acct", Class::FILE, Ret::Int, &[arg("path", Ty::Path)]).in_kernel(&[("path", "name")]).does(&[Effect::NeedsCapability(c::CAP_SYS_PACCT)]),
];

pub static I386: &[(&str, Syscall)] = &[];

// --- fsconfig: what key and value are, follows from the command ---

const FS_FD: Arg = arg("fd", Ty::Custom(Irregular::Untouched, &Ty::Fd));
const FS_CMD: Arg = arg("cmd", Ty::Enum(&FSCONFIG_CMDS));
const FS_KEY: Arg = arg("key", Ty::Custom(Irregular::FsString, &Ty::Str));

const fn fsconfig(args: &'static [Arg]) -> Syscall {
    syscall("fsconfig", FILE_DESC, Ret::Int, args)
}

static FSCONFIG: &[Form] = &[
    form(&[c::FSCONFIG_SET_FLAG], fsconfig(&[FS_FD, FS_CMD, FS_KEY, arg("value", Ty::Addr), arg("aux", Ty::Int)])),
    form(&[c::FSCONFIG_SET_STRING], fsconfig(&[
        FS_FD,
        FS_CMD,
        FS_KEY,
        arg("value", Ty::Custom(Irregular::FsString, &Ty::Str)),
        arg("aux", Ty::Int),
    ])),
    form(&[c::FSCONFIG_SET_BINARY], fsconfig(&[
        FS_FD,
        FS_CMD,
        FS_KEY,
        arg("value", Ty::Custom(Irregular::FsBlob, &Ty::Bytes(Dir::In, Len::Of("aux")))),
        arg("aux", Ty::Int),
    ])),
    form(&[c::FSCONFIG_SET_PATH, c::FSCONFIG_SET_PATH_EMPTY], fsconfig(&[
        FS_FD,
        FS_CMD,
        FS_KEY,
        arg("value", Ty::Path).starts(StartsAt::Argument("aux")),
        arg("aux", Ty::DirFd),
    ])),
    form(&[c::FSCONFIG_SET_FD], fsconfig(&[FS_FD, FS_CMD, FS_KEY, arg("value", Ty::Addr), arg("aux", Ty::Fd)])),
];

// --- quotactl: whether there is an id, and what the address points at, follows from the operation ---

const QUOTA_OP: Arg = arg("op", Ty::Custom(Irregular::QuotaOp, &Ty::UInt));
/// The operation without the type of quota in its low byte.
const QUOTA_KEY: SelectKey = SelectKey { arg: "op", second: None, shift: 8, mask: 0xff_ffff, request: false };

/// The same forms for both calls, which differ in how they name the file system.
macro_rules! quota_forms {
    ($NAME:ident, $name:literal, $class:expr, $($lead:expr),*) => {
        static $NAME: &[Form] = &[
            form(QUOTA_NOTHING, syscall($name, $class, Ret::Int, &[$($lead),*])),
            form(QUOTA_ON, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Enum(&QUOTA_FORMATS)), arg("addr", Ty::Path)])),
            form(QUOTA_GET, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Uid), out(&DQBLK_TY)])),
            form(QUOTA_GETNEXT, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Uid), out(&NEXTDQBLK_TY)])),
            form(QUOTA_SET, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Uid), into(&DQBLK_TY)])),
            form(QUOTA_GETFMT, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, arg("addr", Ty::Array(Dir::Out, &Ty::Enum(&QUOTA_FORMATS), Len::Fixed(1)))])),
            form(QUOTA_GETINFO, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, out(&DQINFO_TY)])),
            form(QUOTA_SETINFO, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, into(&DQINFO_TY)])),
            form(QUOTA_XGET, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Uid), out(&XFS_TY)])),
            form(QUOTA_XSET, syscall($name, $class, Ret::Int, &[$($lead,)* arg("id", Ty::Uid), into(&XFS_TY)])),
            form(QUOTA_XON, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, words(&XFS_QUOTA_FLAGS_TY)])),
            form(QUOTA_XRM, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, words(&XFS_DQBLK_FLAGS_TY)])),
            form(QUOTA_XSTAT, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, out(&XFS_STAT_TY)])),
            form(QUOTA_XSTATV, syscall($name, $class, Ret::Int, &[$($lead,)* NO_ID, out(&XFS_STATV_TY)])),
        ];
    };
}

quota_forms!(QUOTACTL, "quotactl", Class::FILE, QUOTA_OP, arg("special", Ty::Path));
quota_forms!(QUOTACTL_FD, "quotactl_fd", Class::DESC, arg("fd", Ty::Fd), QUOTA_OP);

/// The id's register is not read by these.
const NO_ID: Arg = arg("id", Ty::Uid).when(When::Never);

const fn out(ty: &'static Ty) -> Arg {
    arg("addr", Ty::Ptr(Dir::Out, ty))
}

const fn into(ty: &'static Ty) -> Arg {
    arg("addr", Ty::Ptr(Dir::In, ty))
}

const fn words(ty: &'static Ty) -> Arg {
    arg("addr", Ty::Array(Dir::In, ty, Len::Fixed(1)))
}

const QUOTA_NOTHING: &[u64] =
    &[QUOTA_CMDS.value("Q_QUOTAOFF"), QUOTA_CMDS.value("Q_SYNC"), QUOTA_CMDS.value("Q_XQUOTASYNC")];
const QUOTA_ON: &[u64] = &[QUOTA_CMDS.value("Q_QUOTAON")];
const QUOTA_GET: &[u64] = &[QUOTA_CMDS.value("Q_GETQUOTA")];
const QUOTA_GETNEXT: &[u64] = &[QUOTA_CMDS.value("Q_GETNEXTQUOTA")];
const QUOTA_SET: &[u64] = &[QUOTA_CMDS.value("Q_SETQUOTA")];
const QUOTA_GETFMT: &[u64] = &[QUOTA_CMDS.value("Q_GETFMT")];
const QUOTA_GETINFO: &[u64] = &[QUOTA_CMDS.value("Q_GETINFO")];
const QUOTA_SETINFO: &[u64] = &[QUOTA_CMDS.value("Q_SETINFO")];
const QUOTA_XGET: &[u64] = &[QUOTA_CMDS.value("Q_XGETQUOTA"), QUOTA_CMDS.value("Q_XGETNEXTQUOTA")];
const QUOTA_XSET: &[u64] = &[QUOTA_CMDS.value("Q_XSETQLIM")];
const QUOTA_XON: &[u64] = &[QUOTA_CMDS.value("Q_XQUOTAON"), QUOTA_CMDS.value("Q_XQUOTAOFF")];
const QUOTA_XRM: &[u64] = &[QUOTA_CMDS.value("Q_XQUOTARM")];
const QUOTA_XSTAT: &[u64] = &[QUOTA_CMDS.value("Q_XGETQSTAT")];
const QUOTA_XSTATV: &[u64] = &[QUOTA_CMDS.value("Q_XGETQSTATV")];

static DQBLK_TY: Ty = Ty::Struct(&DQBLK);
static NEXTDQBLK_TY: Ty = Ty::Struct(&NEXTDQBLK);
static DQINFO_TY: Ty = Ty::Struct(&DQINFO);
static XFS_TY: Ty = Ty::Struct(&XFS_DISK_QUOTA);
static XFS_STAT_TY: Ty = Ty::Struct(&XFS_QUOTA_STAT);
static XFS_STATV_TY: Ty = Ty::Struct(&XFS_QUOTA_STATV);
static XFS_QUOTA_FLAGS_TY: Ty = Ty::Flags(&XFS_QUOTA_FLAGS);
static XFS_DQBLK_FLAGS_TY: Ty = Ty::Flags(&XFS_DQBLK_FLAGS);
