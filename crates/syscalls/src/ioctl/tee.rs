//! Requests of trusted execution environments: linux/tee.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Set, Ty, When, Width, items, sets, structs};

sets! {
    pub IMPLEMENTATIONS "TEE_IMPL_ID_???" { TEE_IMPL_ID_OPTEE, TEE_IMPL_ID_AMDTEE, TEE_IMPL_ID_TSTEE, TEE_IMPL_ID_QTEE }
    pub OPTEE_CAPABILITIES "TEE_OPTEE_CAP_???" { TEE_OPTEE_CAP_TZ }
    pub CAPABILITIES "TEE_GEN_CAP_???" {
        TEE_GEN_CAP_GP, TEE_GEN_CAP_PRIVILEGED, TEE_GEN_CAP_REG_MEM, TEE_GEN_CAP_MEMREF_NULL, TEE_GEN_CAP_OBJREF
    }
    /// Flags of shared memory. The names have left the header; the kernel returns the values all the same.
    pub MEMORY_FLAGS "TEE_IOCTL_SHM_???" { TEE_IOCTL_SHM_MAPPED = 1, TEE_IOCTL_SHM_DMA_BUF = 2 }
    pub LOGINS "TEE_IOCTL_LOGIN_???" {
        TEE_IOCTL_LOGIN_PUBLIC, TEE_IOCTL_LOGIN_USER, TEE_IOCTL_LOGIN_GROUP, TEE_IOCTL_LOGIN_APPLICATION,
        TEE_IOCTL_LOGIN_USER_APPLICATION, TEE_IOCTL_LOGIN_GROUP_APPLICATION, TEE_IOCTL_LOGIN_REE_KERNEL
    }
}

/// The type of a parameter, and whether it describes other parameters.
pub static ATTRIBUTES: Set = Set::new(
    "TEE_IOCTL_PARAM_ATTR_???",
    items!(x86_64 []
        TEE_IOCTL_PARAM_ATTR_TYPE_NONE in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_OUTPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_OUTPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INOUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_OUTPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INOUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_OUTPUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INOUT in TEE_IOCTL_PARAM_ATTR_TYPE_MASK,
        TEE_IOCTL_PARAM_ATTR_META
    ),
    false,
)
.led_by(c::TEE_IOCTL_PARAM_ATTR_TYPE_MASK);

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const ADDR: Ty = Ty::As(Width::W8, &Ty::Addr);
const FLAGS: Ty = Ty::Flags(&MEMORY_FLAGS);
const UUID: Ty = Ty::Custom(Irregular::Uuid, &Ty::Blob(16));
const LOGIN: &str = "clnt_login";
/// A group's members identify themselves by its id.
const GROUPS: &[u64] = &[c::TEE_IOCTL_LOGIN_GROUP, c::TEE_IOCTL_LOGIN_GROUP_APPLICATION];
const KNOWN: &[u64] = &[
    c::TEE_IOCTL_LOGIN_PUBLIC,
    c::TEE_IOCTL_LOGIN_USER,
    c::TEE_IOCTL_LOGIN_GROUP,
    c::TEE_IOCTL_LOGIN_APPLICATION,
    c::TEE_IOCTL_LOGIN_USER_APPLICATION,
    c::TEE_IOCTL_LOGIN_GROUP_APPLICATION,
];

/// The member exists for parameters of these types.
const fn of(types: &'static [u64]) -> When {
    When::OneOf("attr", c::TEE_IOCTL_PARAM_ATTR_TYPE_MASK, types)
}

const VALUES: When = of(&[
    c::TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_OUTPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INOUT,
]);
const MEMORY: When = of(&[
    c::TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_OUTPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_INOUT,
]);
const BUFFERS: When = of(&[
    c::TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_OUTPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INOUT,
]);
const OBJECTS: When = of(&[
    c::TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_OUTPUT,
    c::TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INOUT,
]);

structs! {
    pub VERSION = tee_ioctl_version_data {
        impl_id: Ty::Enum(&IMPLEMENTATIONS), gen_caps: Ty::Flags(&CAPABILITIES),
        impl_caps: Ty::Flags(&OPTEE_CAPABILITIES) => When::OneOf("impl_id", !0, &[c::TEE_IMPL_ID_OPTEE]),
        impl_caps: Ty::Hex => When::NoneOf("impl_id", !0, &[c::TEE_IMPL_ID_OPTEE])
    }
    pub CANCEL = tee_ioctl_cancel_arg { cancel_id: Ty::UInt, session: Ty::Hex }
    pub CLOSE = tee_ioctl_close_session_arg { session: Ty::Hex }
    pub ALLOCATE = tee_ioctl_shm_alloc_data { size: HEX64, flags: FLAGS }
    pub ALLOCATED = tee_ioctl_shm_alloc_data { size: HEX64, flags: FLAGS, id: Ty::Int }
    pub REGISTER = tee_ioctl_shm_register_data { addr: ADDR, length: HEX64, flags: FLAGS }
    pub REGISTERED = tee_ioctl_shm_register_data { length: HEX64, flags: FLAGS, id: Ty::Int }
    pub REGISTER_FD = tee_ioctl_shm_register_fd_data { fd: Ty::Fd, flags: FLAGS }
    pub REGISTERED_FD = tee_ioctl_shm_register_fd_data { size: HEX64, flags: FLAGS, id: Ty::Int }
    /// A struct of variable size behind a pointer. A kernel takes at most `TEE_MAX_ARG_SIZE` bytes.
    pub CALL = tee_ioctl_buf_data {
        buf_len: Ty::U64, buf_ptr: Ty::Buffer(Dir::InOut, Len::Of("buf_len"), c::TEE_MAX_ARG_SIZE as u32)
    }
    pub PARAMETER = tee_ioctl_param {
        attr: Ty::As(Width::W8, &Ty::Flags(&ATTRIBUTES)), a: HEX64 => VALUES, b: HEX64 => VALUES, c: HEX64 => VALUES,
        shm_offs = "a": HEX64 => MEMORY, size = "b": HEX64 => MEMORY, shm_id = "c": Ty::U64 => MEMORY, buf = "a": ADDR => BUFFERS,
        size = "b": HEX64 => BUFFERS, obj_id = "a": HEX64 => OBJECTS, flags = "b": HEX64 => OBJECTS
    }
    // The members before the parameters, as the program writes them and as the answer has them.
    pub INVOKE = tee_ioctl_invoke_arg { func: Ty::UInt, session: Ty::Hex, cancel_id: Ty::UInt, num_params: Ty::UInt }
    pub INVOKED = tee_ioctl_invoke_arg { ret: Ty::Hex, ret_origin: Ty::Hex, num_params: Ty::UInt }
    pub OPEN = tee_ioctl_open_session_arg {
        uuid: UUID, clnt_login: Ty::Enum(&LOGINS), clnt_uuid: Ty::As(Width::W4, &Ty::Gid) => When::OneOf(LOGIN, !0, GROUPS),
        clnt_uuid: Ty::Items(&Ty::As(Width::W1, &Ty::Hex)) => When::NoneOf(LOGIN, !0, KNOWN), cancel_id: Ty::UInt,
        num_params: Ty::UInt
    }
    pub OPENED = tee_ioctl_open_session_arg { session: Ty::Hex, ret: Ty::Hex, ret_origin: Ty::Hex, num_params: Ty::UInt }
    pub OBJECT = tee_ioctl_object_invoke_arg { id: HEX64, op: Ty::UInt, num_params: Ty::UInt }
    pub OBJECT_REPLY = tee_ioctl_object_invoke_arg { ret: Ty::Hex, num_params: Ty::UInt }
    pub RECEIVE = tee_iocl_supp_recv_arg { func: Ty::UInt, num_params: Ty::UInt }
    pub SEND = tee_iocl_supp_send_arg { num_params: Ty::UInt }
    pub SENT = tee_iocl_supp_send_arg { ret: Ty::Hex, num_params: Ty::UInt }
}

const IN_OUT: Ty = Ty::Ptr(Dir::InOut, &Ty::Struct(&CALL));

/// A call whose parameters stand behind a struct, in the form that the program writes and in the one of the answer.
macro_rules! call {
    ($number:ident, $asked:ident, $answered:ident) => {
        Case(
            c::$number,
            Ty::Custom(Irregular::TeeCall, &Ty::Shapes(&[IN_OUT, Ty::Struct(&$asked), Ty::Struct(&$answered)])),
        )
    };
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::TEE_IOC_VERSION, Ty::Ptr(Dir::Out, &Ty::Struct(&VERSION))),
    Case(c::TEE_IOC_CANCEL, Ty::Ptr(Dir::In, &Ty::Struct(&CANCEL))),
    Case(c::TEE_IOC_CLOSE_SESSION, Ty::Ptr(Dir::In, &Ty::Struct(&CLOSE))),
    Case(c::TEE_IOC_SHM_ALLOC, Ty::Turn(&ALLOCATE, &ALLOCATED)),
    Case(c::TEE_IOC_SHM_REGISTER, Ty::Turn(&REGISTER, &REGISTERED)),
    Case(c::TEE_IOC_SHM_REGISTER_FD, Ty::Turn(&REGISTER_FD, &REGISTERED_FD)),
    call!(TEE_IOC_INVOKE, INVOKE, INVOKED),
    call!(TEE_IOC_OBJECT_INVOKE, OBJECT, OBJECT_REPLY),
    call!(TEE_IOC_OPEN_SESSION, OPEN, OPENED),
    call!(TEE_IOC_SUPPL_RECV, RECEIVE, RECEIVE),
    call!(TEE_IOC_SUPPL_SEND, SEND, SENT),
];
