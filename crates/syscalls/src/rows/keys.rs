//! Keys and security modules.

use crate::effect::{Thing, makes};
use crate::sets::keys::*;
use crate::structs::keys::*;
use crate::uapi::consts as c;
use crate::{
    Arg, Case, Class, Dir, Form, Irregular, SelectKey, Len, Ret, RetSelect, Select, Syscall, Ty, Width, arg, form, syscall,
};

const SIZE_PTR: Arg = arg("size", Ty::Custom(Irregular::Change, SIZE));
const SIZE: &Ty = &Ty::Array(Dir::InOutAlways, &Ty::UInt, Len::Fixed(1));

pub static ROWS: &[Syscall] = &[
    syscall("add_key", Class::NONE, Ret::Int, &[
        arg("type", Ty::Str),
        arg("description", Ty::Str),
        arg("payload", Ty::Bytes(Dir::In, Len::Of("plen"))),
        PLEN,
        KEYRING,
    ]).in_kernel(&[("type", "_type"), ("description", "_description"), ("payload", "_payload"), ("keyring", "ringid")]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("request_key", Class::NONE, Ret::Int, &[
        arg("type", Ty::Str),
        arg("description", Ty::Str),
        arg("callout_info", Ty::Str),
        DEST_KEYRING,
    ]).in_kernel(&[("type", "_type"), ("description", "_description"), ("callout_info", "_callout_info"), ("dest_keyring", "destringid")]).may_need(&[c::CAP_SYS_ADMIN]),
    keyctl(&[
        OP,
        arg("arg2", Ty::HexLong),
        arg("arg3", Ty::HexLong),
        arg("arg4", Ty::HexLong),
        arg("arg5", Ty::HexLong),
    ])
    .by(SelectKey::of("operation"), KEYCTL)
    .may_need(&[c::CAP_SYS_ADMIN, c::CAP_SETUID, c::CAP_SETGID]),
    syscall(
        "landlock_create_ruleset",
        Class::DESC,
        Ret::Select(&RetSelect {
            // Both flags at once are refused. They ask for numbers all the same.
            on: SelectKey::masked("flags", c::LANDLOCK_CREATE_RULESET_VERSION | c::LANDLOCK_CREATE_RULESET_ERRATA),
            cases: &[
                (c::LANDLOCK_CREATE_RULESET_VERSION, Ret::Int),
                (c::LANDLOCK_CREATE_RULESET_ERRATA, Ret::Int),
                (c::LANDLOCK_CREATE_RULESET_VERSION | c::LANDLOCK_CREATE_RULESET_ERRATA, Ret::Int),
            ],
            default: Ret::Fd,
        }),
        &[
            arg("attr", Ty::Custom(Irregular::LandlockRuleset, &Ty::Extensible(Dir::In, &LANDLOCK_RULESET, Len::Of("size"), 8))),
            arg("size", Ty::ULong),
            arg("flags", Ty::Flags(&LANDLOCK_CREATE)),
        ],
    )
    .does(&[makes(Thing::Anonymous("landlock ruleset")).cloexec()]),
    syscall("landlock_add_rule", Class::DESC, Ret::Int, &[
        arg("ruleset_fd", Ty::Fd),
        arg("rule_type", Ty::Enum(&LANDLOCK_RULE)),
        arg("rule_attr", Ty::Select(&Select {
            on: SelectKey::of("rule_type"),
            cases: &[
                Case(c::LANDLOCK_RULE_PATH_BENEATH, Ty::Ptr(Dir::In, &Ty::Struct(&LANDLOCK_PATH_BENEATH))),
                Case(c::LANDLOCK_RULE_NET_PORT, Ty::Ptr(Dir::In, &Ty::Struct(&LANDLOCK_NET_PORT))),
            ],
            default: Ty::Addr,
        })),
        arg("flags", Ty::Flags(&LANDLOCK_ADD)),
    ]),
    syscall("landlock_restrict_self", Class::DESC, Ret::Int, &[arg("ruleset_fd", Ty::Fd), arg("flags", Ty::Hex)]).may_need(&[c::CAP_SYS_ADMIN]),
    syscall("lsm_get_self_attr", Class::NONE, Ret::Int, &[
        arg("attr", Ty::Enum(&LSM_ATTR)),
        arg("ctx", Ty::Custom(Irregular::LsmContexts, &Ty::Buffer(Dir::InOut, Len::Fixed(4096), 4096))),
        SIZE_PTR,
        arg("flags", Ty::Flags(&LSM_FLAGS)),
    ]),
    syscall("lsm_set_self_attr", Class::NONE, Ret::Int, &[
        arg("attr", Ty::Enum(&LSM_ATTR)),
        arg("ctx", Ty::Custom(Irregular::LsmContext, &Ty::Buffer(Dir::In, Len::Of("size"), 4096))),
        arg("size", Ty::UInt),
        arg("flags", Ty::Hex),
    ]).may_need(&[c::CAP_MAC_ADMIN, c::CAP_SYS_ADMIN]),
    syscall("lsm_list_modules", Class::NONE, Ret::Int, &[
        arg("ids", Ty::Custom(Irregular::LsmIds, &Ty::Array(Dir::Out, &Ty::As(Width::W8, &Ty::Enum(&LSM_ID)), Len::Ret))),
        SIZE_PTR,
        arg("flags", Ty::Hex),
    ]),
];

pub static I386: &[(&str, Syscall)] = &[];

// --- keyctl: every operation has arguments of its own ---

const SERIAL: Ty = Ty::Custom(Irregular::KeySerial, &Ty::Int);
const OP: Arg = arg("operation", Ty::Enum(&KEYCTL_OPS));
const KEY: Arg = arg("key", SERIAL);
const KEYRING: Arg = arg("keyring", SERIAL);
const DEST_KEYRING: Arg = arg("dest_keyring", SERIAL);
const PLEN: Arg = arg("plen", Ty::ULong);
const BUFLEN: Arg = arg("buflen", Ty::ULong);
const TYPE: Arg = arg("type", Ty::Str);
const TIMEOUT: Arg = arg("timeout", Ty::UInt);
const PAYLOAD: Arg = arg("payload", Ty::Bytes(Dir::In, Len::Of("plen")));
/// Text that the kernel fills in.
const TEXT: Arg = arg("buffer", Ty::Custom(Irregular::KeyText, TEXT_SHAPE));
const TEXT_SHAPE: &Ty = &Ty::Bytes(Dir::Out, Len::Of("buflen"));
/// Bytes that the kernel fills in; it returns how many there are, which may be more than fit.
const DATA: Arg = arg("buffer", Ty::Custom(Irregular::KeyData, TEXT_SHAPE));
const OUT_PARAMS: Arg = arg("params", Ty::Ptr(Dir::In, OUT_PARAMS_TY));
const OUT_PARAMS_TY: &Ty = &Ty::Struct(&PKEY_OUT_PARAMS);
const INFO: Arg = arg("info", Ty::Str);
/// Sizes stand in the parameters; more than is shown of a text is never captured.
const IN: Arg = arg("in", Ty::Custom(Irregular::PkeyData("in_len"), PKEY_IN));
const PKEY_IN: &Ty = &Ty::Bytes(Dir::In, Len::Fixed(1 << 16));
const IN2: Arg = arg("in2", Ty::Custom(Irregular::PkeyData("in2_len"), PKEY_IN));
const OUT2: Arg = arg("in2", Ty::Custom(Irregular::PkeyData("out_len"), PKEY_OUT));
const PKEY_OUT: &Ty = &Ty::Bytes(Dir::Out, Len::Fixed(1 << 16));

const fn keyctl(args: &'static [Arg]) -> Syscall {
    syscall("keyctl", Class::NONE, Ret::Int, args)
}

static KEYCTL: &[Form] = &[
    form(&[c::KEYCTL_GET_KEYRING_ID], keyctl(&[OP, KEY, arg("create", Ty::Int)])),
    form(&[c::KEYCTL_JOIN_SESSION_KEYRING], keyctl(&[OP, arg("name", Ty::Str)])),
    form(&[c::KEYCTL_UPDATE], keyctl(&[OP, KEY, PAYLOAD, PLEN])),
    form(
        &[c::KEYCTL_REVOKE, c::KEYCTL_CLEAR, c::KEYCTL_ASSUME_AUTHORITY, c::KEYCTL_INVALIDATE],
        keyctl(&[OP, KEY]),
    ),
    form(&[c::KEYCTL_CHOWN], keyctl(&[OP, KEY, arg("uid", Ty::Uid), arg("gid", Ty::Gid)])),
    form(&[c::KEYCTL_SETPERM], keyctl(&[OP, KEY, arg("perms", Ty::Flags(&KEY_PERMS))])),
    form(&[c::KEYCTL_DESCRIBE, c::KEYCTL_GET_SECURITY], keyctl(&[OP, KEY, TEXT, BUFLEN])),
    form(&[c::KEYCTL_READ], keyctl(&[OP, KEY, DATA, BUFLEN])),
    form(&[c::KEYCTL_LINK, c::KEYCTL_UNLINK], keyctl(&[OP, KEY, KEYRING])),
    form(&[c::KEYCTL_SEARCH], keyctl(&[OP, KEYRING, TYPE, arg("description", Ty::Str), DEST_KEYRING])),
    form(&[c::KEYCTL_RESTRICT_KEYRING], keyctl(&[OP, KEYRING, TYPE, arg("restriction", Ty::Str)])),
    form(&[c::KEYCTL_INSTANTIATE], keyctl(&[OP, KEY, PAYLOAD, PLEN, KEYRING])),
    form(
        &[c::KEYCTL_INSTANTIATE_IOV],
        keyctl(&[OP, KEY, arg("payload", Ty::Iovec(Dir::In, Len::Of("plen"))), PLEN, KEYRING]),
    ),
    form(&[c::KEYCTL_NEGATE], keyctl(&[OP, KEY, TIMEOUT, KEYRING])),
    form(
        &[c::KEYCTL_REJECT],
        keyctl(&[OP, KEY, TIMEOUT, arg("error", Ty::Custom(Irregular::KeyError, &Ty::UInt)), KEYRING]),
    ),
    form(
        &[c::KEYCTL_SET_REQKEY_KEYRING],
        keyctl(&[OP, arg("reqkey_defl", Ty::Custom(Irregular::KeyDefault, &Ty::Int))]),
    ),
    form(&[c::KEYCTL_SET_TIMEOUT], keyctl(&[OP, KEY, TIMEOUT])),
    form(&[c::KEYCTL_SESSION_TO_PARENT], keyctl(&[OP])),
    form(&[c::KEYCTL_GET_PERSISTENT], keyctl(&[OP, arg("uid", Ty::Uid), KEYRING])),
    form(&[c::KEYCTL_DH_COMPUTE], keyctl(&[
        OP,
        arg("dh_params", Ty::Ptr(Dir::In, &Ty::Struct(&DH_PARAMS))),
        DATA,
        BUFLEN,
        arg("kdf_params", Ty::Ptr(Dir::In, &Ty::Struct(&KDF_PARAMS))),
    ])),
    form(&[c::KEYCTL_PKEY_QUERY], keyctl(&[
        OP,
        KEY,
        arg("reserved", Ty::HexLong),
        arg("params", Ty::Str),
        arg("info", Ty::Ptr(Dir::Out, &Ty::Struct(&PKEY_QUERY))),
    ])),
    form(
        &[c::KEYCTL_PKEY_ENCRYPT, c::KEYCTL_PKEY_DECRYPT, c::KEYCTL_PKEY_SIGN],
        keyctl(&[OP, OUT_PARAMS, INFO, IN, OUT2]),
    ),
    form(
        &[c::KEYCTL_PKEY_VERIFY],
        keyctl(&[OP, arg("params", Ty::Ptr(Dir::In, &Ty::Struct(&PKEY_IN_PARAMS))), INFO, IN, IN2]),
    ),
    form(&[c::KEYCTL_MOVE], keyctl(&[
        OP,
        KEY,
        arg("from_keyring", SERIAL),
        arg("to_keyring", SERIAL),
        arg("flags", Ty::Flags(&KEYCTL_MOVE_FLAGS)),
    ])),
    form(
        &[c::KEYCTL_CAPABILITIES],
        keyctl(&[OP, arg("buffer", Ty::Custom(Irregular::KeyCaps, TEXT_SHAPE)), BUFLEN]),
    ),
];
