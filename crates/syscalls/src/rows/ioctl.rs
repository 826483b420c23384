//! ioctl(2). The requests are in [`crate::ioctl`].

use crate::ioctl::{BARE, CASES};
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Irregular, SelectKey, Len, Note, PidKind, Ret, RetSelect, Select, Syscall, Ty, When, arg, syscall};

/// The captured memory of an unknown request: at most what its number says.
const UNKNOWN: &Ty = &Ty::Buffer(Dir::InOutAlways, Len::Fixed(1024), 1024);

/// Requests that return a descriptor.
const RETURNS: Ret = Ret::Select(&RetSelect {
    on: SelectKey::request("op"),
    cases: &[
        (c::SIOCGSKNS, Ret::Fd),
        (c::KVM_CREATE_VM, Ret::Fd),
        (c::KVM_CREATE_VCPU, Ret::Fd),
        (c::TIOCGPTPEER, Ret::Fd),
        (c::NS_GET_USERNS, Ret::Fd),
        (c::NS_GET_PARENT, Ret::Fd),
        // (The others of these return ids of the namespace that they name.)
        (c::NS_GET_PID_FROM_PIDNS, Ret::Pid(PidKind::Tid)),
        (c::NS_GET_TGID_FROM_PIDNS, Ret::Pid(PidKind::Tgid)),
        (c::UDMABUF_CREATE, Ret::Fd),
        (c::UDMABUF_CREATE_LIST, Ret::Fd),
        (c::USERFAULTFD_IOC_NEW, Ret::Fd),
        (c::NS_MNT_GET_NEXT, Ret::Fd),
        (c::NS_MNT_GET_PREV, Ret::Fd),
        (c::PIDFD_GET_CGROUP_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_IPC_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_MNT_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_NET_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_PID_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_PID_FOR_CHILDREN_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_TIME_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_TIME_FOR_CHILDREN_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_USER_NAMESPACE, Ret::Fd),
        (c::PIDFD_GET_UTS_NAMESPACE, Ret::Fd),
    ],
    default: Ret::Int,
});

pub static ROWS: &[Syscall] = &[syscall("ioctl", Class::DESC, RETURNS, &[
    arg("fd", Ty::Fd),
    arg("op", Ty::Custom(Irregular::IoctlRequest, &Ty::UInt)),
    arg("argp", Ty::Select(&Select { on: SelectKey::request("op"), cases: &CASES, default: Ty::Custom(Irregular::IoctlUnknown, UNKNOWN) }))
        .when(When::NoneOf("op", 0xffff_ffff, &BARE)),
]).in_kernel(&[("op", "cmd"), ("argp", "arg")]).noted(Note::Ioctl).does(&[Effect::ControlsDevice])];

pub static I386: &[(&str, Syscall)] = &[];
