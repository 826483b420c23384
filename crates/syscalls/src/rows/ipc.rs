//! System V IPC and POSIX message queues.

use crate::effect::{Data, Effect, For, Thing, makes, reads, writes};
use crate::sets::files::OPEN;
use crate::sets::ipc::*;
use crate::structs::ipc::*;
use crate::structs::time::{SIGEVENT, TIMESPEC, TIMESPEC64};
use crate::uapi::consts as c;
use crate::{Arg, Case, Class, Dir, Irregular, SelectKey, Len, Ret, StartsAt, Select, Syscall, Ty, Unit, When, Width, arg, syscall};

const IPC: Class = Class::IPC;

const KEY: Arg = arg("key", Ty::Custom(Irregular::IpcKey, &Ty::Hex));

/// The newer structs may be asked for by a bit in the operation, and are the only ones on 64-bit ABIs.
const fn op(names: &'static Ty) -> Arg {
    arg("op", Ty::Custom(Irregular::IpcOp, names))
}
const OP: SelectKey = SelectKey::masked("op", 0xffff_ffff & !c::IPC_64);

/// The message behind its type, which is a `long` more.
const fn message(dir: Dir) -> Ty {
    match dir {
        Dir::In => Ty::Custom(Irregular::MsgBuf, &Ty::Buffer(Dir::In, MESSAGE, MESSAGE_MAX)),
        _ => Ty::Custom(Irregular::MsgBuf, &Ty::Buffer(Dir::Out, MESSAGE, MESSAGE_MAX)),
    }
}
const MESSAGE: Len = Len::Units { of: "msgsz", less: -8, unit: Unit::One };
const MESSAGE_MAX: u32 = 8 << 10;

static MSGCTL_BUF: Select = Select {
    on: OP,
    cases: &[
        Case(c::IPC_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&MSQID))),
        Case(c::MSG_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&MSQID))),
        Case(c::MSG_STAT_ANY, Ty::Ptr(Dir::Out, &Ty::Struct(&MSQID))),
        Case(c::IPC_SET, Ty::Ptr(Dir::In, &Ty::Struct(&MSQID_SET))),
        Case(c::IPC_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&MSGINFO))),
        Case(c::MSG_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&MSGINFO))),
    ],
    default: Ty::Addr,
};

static SEMCTL_ARG: Select = Select {
    on: OP,
    cases: &[
        Case(c::IPC_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&SEMID))),
        Case(c::SEM_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&SEMID))),
        Case(c::SEM_STAT_ANY, Ty::Ptr(Dir::Out, &Ty::Struct(&SEMID))),
        Case(c::IPC_SET, Ty::Ptr(Dir::In, &Ty::Struct(&SEMID_SET))),
        Case(c::IPC_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&SEMINFO))),
        Case(c::SEM_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&SEMINFO))),
    ],
    default: Ty::Addr,
};

static SHMCTL_BUF: Select = Select {
    on: OP,
    cases: &[
        Case(c::IPC_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&SHMID))),
        Case(c::SHM_STAT, Ty::Ptr(Dir::Out, &Ty::Struct(&SHMID))),
        Case(c::SHM_STAT_ANY, Ty::Ptr(Dir::Out, &Ty::Struct(&SHMID))),
        Case(c::IPC_SET, Ty::Ptr(Dir::In, &Ty::Struct(&SHMID_SET))),
        Case(c::IPC_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&SHMINFO))),
        Case(c::SHM_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&SHM_INFO))),
    ],
    default: Ty::Addr,
};

const OPERATIONS: Ty = Ty::Array(Dir::In, &Ty::Struct(&SEMBUF), Len::Of("nsops"));
const SOPS: Arg = arg("sops", OPERATIONS);
const NSOPS: Arg = arg("nsops", Ty::UInt);

const SPEC: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC));
const SPEC64: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&TIMESPEC64));

/// mq_open(3): a new queue has a mode and attributes.
const CREATES: When = When::AnySet("flags", &[c::O_CREAT]);
const MQDES: Arg = arg("mqdes", Ty::Fd);

pub static ROWS: &[Syscall] = &[
    syscall("msgget", IPC, Ret::Int, &[KEY, arg("msgflg", Ty::Custom(Irregular::IpcFlags, &Ty::Int))]),
    syscall("msgctl", IPC, Ret::Int, &[arg("msqid", Ty::Int), op(&Ty::Enum(&MSG_CTL)), arg("buf", Ty::Select(&MSGCTL_BUF))]).in_kernel(&[("op", "cmd")]),
    syscall("msgsnd", IPC, Ret::Int, &[
        arg("msqid", Ty::Int),
        arg("msgp", message(Dir::In)),
        arg("msgsz", Ty::ULong),
        arg("msgflg", Ty::Flags(&MSG_FLAGS)),
    ]),
    syscall("msgrcv", IPC, Ret::Size, &[
        arg("msqid", Ty::Int),
        arg("msgp", message(Dir::Out)),
        arg("msgsz", Ty::ULong),
        arg("msgtyp", Ty::Long),
        arg("msgflg", Ty::Flags(&MSG_FLAGS)),
    ]).does(&[Effect::MayWait(For::Peer)]),
    syscall("semget", IPC, Ret::Int, &[
        KEY,
        arg("nsems", Ty::Int),
        arg("semflg", Ty::Custom(Irregular::IpcFlags, &Ty::Int)),
    ]),
    syscall("semctl", IPC, Ret::Int, &[
        arg("semid", Ty::Int),
        arg("semnum", Ty::Int),
        op(&Ty::Enum(&SEM_CTL)),
        arg("arg", Ty::Select(&SEMCTL_ARG)),
    ]).in_kernel(&[("op", "cmd")]),
    syscall("semop", IPC, Ret::Int, &[arg("semid", Ty::Int), SOPS, NSOPS]).in_kernel(&[("sops", "tsops")]).does(&[Effect::MayWait(For::Turn)]),
    syscall("semtimedop", IPC, Ret::Int, &[arg("semid", Ty::Int), SOPS, NSOPS, arg("timeout", SPEC)]).in_kernel(&[("sops", "tsops")])
        .does(&[Effect::MayWait(For::Turn)]),
    syscall("semtimedop_time64", IPC, Ret::Int, &[arg("semid", Ty::Int), SOPS, NSOPS, arg("timeout", SPEC64)])
        .does(&[Effect::MayWait(For::Turn)]),
    syscall("shmget", IPC, Ret::Int, &[
        KEY,
        arg("size", Ty::ULong),
        arg("shmflg", Ty::Custom(Irregular::ShmFlags, &Ty::Int)),
    ]),
    syscall("shmat", IPC.or(Class::MEMORY), Ret::Addr, &[
        arg("shmid", Ty::Int),
        arg("shmaddr", Ty::Addr),
        arg("shmflg", Ty::Flags(&SHM_FLAGS)),
    ]).does(&[Effect::Attaches]),
    syscall("shmctl", IPC, Ret::Int, &[arg("shmid", Ty::Int), op(&Ty::Enum(&SHM_CTL)), arg("buf", Ty::Select(&SHMCTL_BUF))]).in_kernel(&[("op", "cmd")]),
    syscall("shmdt", IPC.or(Class::MEMORY), Ret::Int, &[arg("shmaddr", Ty::Addr)]),
    syscall("ipc", IPC, Ret::Int, &[
        arg("call", Ty::Custom(Irregular::IpcCall, &Ty::UInt)),
        arg("first", Ty::Hex),
        arg("second", Ty::Hex),
        arg("third", Ty::Hex),
        arg("ptr", Ty::Addr),
        arg("fifth", Ty::Hex),
    ]),
    syscall("mq_open", Class::DESC, Ret::Fd, &[
        arg("name", Ty::Path).starts(StartsAt::Queues),
        arg("flags", Ty::Flags(&OPEN)),
        arg("mode", Ty::As(Width::W2, &Ty::Perm)).when(CREATES),
        arg("attr", Ty::Ptr(Dir::In, &Ty::Struct(&MQ_ATTR_NEW))).when(CREATES),
    ]).in_kernel(&[("name", "u_name"), ("flags", "oflag"), ("attr", "u_attr")]).does(&[makes(Thing::File).cloexec()]),
    syscall("mq_unlink", Class::NONE, Ret::Int, &[arg("path", Ty::Path).starts(StartsAt::Queues)]).in_kernel(&[("path", "u_name")]),
    syscall("mq_timedsend", Class::DESC, Ret::Int, &[
        MQDES,
        arg("msg_ptr", Ty::Bytes(Dir::In, Len::Of("msg_len"))),
        arg("msg_len", Ty::ULong),
        arg("msg_prio", Ty::UInt),
        arg("abs_timeout", SPEC),
    ]).in_kernel(&[("msg_ptr", "u_msg_ptr"), ("abs_timeout", "u_abs_timeout")]).does(&[writes(Data::Bytes)]),
    syscall("mq_timedsend_time64", Class::DESC, Ret::Int, &[
        MQDES,
        arg("msg_ptr", Ty::Bytes(Dir::In, Len::Of("msg_len"))),
        arg("msg_len", Ty::ULong),
        arg("msg_prio", Ty::UInt),
        arg("abs_timeout", SPEC64),
    ]).does(&[writes(Data::Bytes)]),
    syscall("mq_timedreceive", Class::DESC, Ret::Size, &[
        MQDES,
        arg("msg_ptr", Ty::Bytes(Dir::Out, Len::Ret)),
        arg("msg_len", Ty::ULong),
        arg("msg_prio", Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1))),
        arg("abs_timeout", SPEC),
    ]).in_kernel(&[("msg_ptr", "u_msg_ptr"), ("msg_prio", "u_msg_prio"), ("abs_timeout", "u_abs_timeout")]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes)]),
    syscall("mq_timedreceive_time64", Class::DESC, Ret::Size, &[
        MQDES,
        arg("msg_ptr", Ty::Bytes(Dir::Out, Len::Ret)),
        arg("msg_len", Ty::ULong),
        arg("msg_prio", Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1))),
        arg("abs_timeout", SPEC64),
    ]).does(&[Effect::MayWait(For::Peer), reads(Data::Bytes)]),
    syscall("mq_notify", Class::DESC, Ret::Int, &[MQDES, arg("sevp", Ty::Ptr(Dir::In, &Ty::Custom(Irregular::Sigevent, &Ty::Struct(&SIGEVENT))))]).in_kernel(&[("sevp", "u_notification")]),
    syscall("mq_getsetattr", Class::DESC, Ret::Int, &[
        MQDES,
        arg("newattr", Ty::Ptr(Dir::In, &Ty::Struct(&MQ_ATTR))),
        arg("oldattr", Ty::Ptr(Dir::Out, &Ty::Struct(&MQ_ATTR))),
    ]).in_kernel(&[("newattr", "u_mqstat"), ("oldattr", "u_omqstat")]),
];

pub static I386: &[(&str, Syscall)] = &[];
