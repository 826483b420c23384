//! inotify, fanotify, eventfd, userfaultfd.

use crate::effect::{Thing, makes};
use crate::sets::files::OPEN;
use crate::sets::notify::*;
use crate::uapi::consts as c;
use crate::{Class, Irregular, Ret, Syscall, Ty, Width, arg, syscall};

const FILE_DESC: Class = Class::FILE.or(Class::DESC);

pub static ROWS: &[Syscall] = &[
    syscall("inotify_init", Class::DESC, Ret::Fd, &[]).does(&[makes(Thing::Anonymous("inotify"))]),
    syscall("inotify_init1", Class::DESC, Ret::Fd, &[arg("flags", Ty::Flags(&INOTIFY_INIT))])
        .does(&[makes(Thing::Anonymous("inotify")).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("inotify_add_watch", FILE_DESC, Ret::Int, &[
        arg("fd", Ty::Fd),
        arg("pathname", Ty::Path),
        arg("mask", Ty::Flags(&INOTIFY_MASK)),
    ]),
    syscall("inotify_rm_watch", Class::DESC, Ret::Int, &[arg("fd", Ty::Fd), arg("wd", Ty::Int)]),
    syscall("fanotify_init", Class::DESC, Ret::Fd, &[
        arg("flags", Ty::Custom(Irregular::FanotifyInit, &Ty::Flags(&FANOTIFY_INIT))),
        arg("event_f_flags", Ty::Flags(&OPEN)),
    ]).does(&[makes(Thing::Anonymous("fanotify")).cloexec_if("flags", c::FAN_CLOEXEC)]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("fanotify_mark", FILE_DESC, Ret::Int, &[
        arg("fanotify_fd", Ty::Fd),
        arg("flags", Ty::Flags(&FANOTIFY_MARK)),
        arg("mask", Ty::As(Width::W8, &Ty::Flags(&FANOTIFY_MASK))),
        arg("dirfd", Ty::Custom(Irregular::FanotifyDir, &Ty::DirFd)),
        arg("pathname", Ty::Path),
    ]).in_kernel(&[("dirfd", "dfd")]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("eventfd", Class::DESC, Ret::Fd, &[arg("initval", Ty::UInt)]).in_kernel(&[("initval", "count")]).does(&[makes(Thing::Anonymous("eventfd"))]),
    syscall("eventfd2", Class::DESC, Ret::Fd, &[arg("initval", Ty::UInt), arg("flags", Ty::Flags(&EVENTFD_FLAGS))]).in_kernel(&[("initval", "count")])
        .does(&[makes(Thing::Anonymous("eventfd")).cloexec_if("flags", c::O_CLOEXEC)]),
    syscall("userfaultfd", Class::DESC, Ret::Fd, &[arg("flags", Ty::Flags(&USERFAULTFD_FLAGS))])
        .does(&[makes(Thing::Anonymous("userfaultfd")).cloexec_if("flags", c::O_CLOEXEC)]).may_need(&[c::CAP_SYS_PTRACE, c::CAP_SYS_ADMIN]),
];

pub static I386: &[(&str, Syscall)] = &[];
