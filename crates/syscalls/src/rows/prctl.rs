//! prctl(2), arch_prctl(2), seccomp(2): calls whose arguments follow from the first.

use crate::sets::creds::CAP;
use crate::sets::prctl::*;
use crate::structs::prctl::*;
use crate::structs::sockopt::SOCK_FPROG;
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Form, Irregular, SelectKey, Len, Note, PidKind, Ret, RetSelect, Syscall, Ty, When, Width, arg, form, syscall};

const NONE: Class = Class::NONE;

/// One value behind a pointer, in brackets.
macro_rules! out {
    ($ty:expr) => {
        Ty::Array(Dir::Out, &$ty, Len::Fixed(1))
    };
}

/// Flags and enumerations as wide as a register.
macro_rules! word {
    ($ty:expr) => {
        Ty::As(Width::Word, &$ty)
    };
}

/// prctl(2) with the options at the left.
macro_rules! prctl {
    ($($option:ident)|+ -> $ret:expr; $($arg:expr),* $(,)?) => {
        form(&[$(c::$option),+], syscall("prctl", NONE, $ret, &[arg("op", Ty::Enum(&PRCTL)), $($arg),*])
            .noted(Note::Prctl))
    };
}

/// Registers that the option does not use, but the kernel may insist on being zero.
const ARG2: crate::Arg = arg("arg2", Ty::HexLong).at(1);
const ARG3: crate::Arg = arg("arg3", Ty::HexLong).at(2);
const ARG4: crate::Arg = arg("arg4", Ty::HexLong).at(3);
const ARG5: crate::Arg = arg("arg5", Ty::HexLong).at(4);

const fn only(on: &'static str, values: &'static [u64]) -> When {
    When::OneOf(on, !0, values)
}

const fn unless(on: &'static str, values: &'static [u64]) -> When {
    When::NoneOf(on, !0, values)
}

/// A name of a thread: 15 bytes and a NUL.
const NAME_IN: Ty = Ty::Custom(Irregular::CString(15), &Ty::Buffer(Dir::In, Len::Fixed(16), 16));
const NAME_OUT: Ty = Ty::Custom(Irregular::CString(16), &Ty::Buffer(Dir::Out, Len::Fixed(16), 16));

/// A seccomp program.
const FILTER: Ty = Ty::Custom(Irregular::SeccompFilter, &Ty::Ptr(Dir::In, &Ty::Struct(&SOCK_FPROG)));

const SPECULATION_STATE: Ret = Ret::Select(&RetSelect {
    on: SelectKey::masked("misfeature", !0),
    cases: &[
        (c::PR_SPEC_STORE_BYPASS, Ret::Flags(&SPECULATION_GET)),
        (c::PR_SPEC_INDIRECT_BRANCH, Ret::Flags(&SPECULATION_GET)),
        (c::PR_SPEC_L1D_FLUSH, Ret::Flags(&SPECULATION_GET)),
    ],
    default: Ret::Int,
});
const MISFEATURES: &[u64] = &[c::PR_SPEC_STORE_BYPASS, c::PR_SPEC_INDIRECT_BRANCH, c::PR_SPEC_L1D_FLUSH];

static PRCTL_FORMS: &[Form] = &[
    // Options without arguments.
    prctl!(PR_GET_KEEPCAPS | PR_GET_TIMING | PR_GET_SECCOMP | PR_GET_TIMERSLACK | PR_TASK_PERF_EVENTS_DISABLE
        | PR_TASK_PERF_EVENTS_ENABLE -> Ret::Int;),
    prctl!(PR_GET_DUMPABLE -> Ret::Enum(&DUMPABLE);),
    prctl!(PR_GET_SECUREBITS -> Ret::Flags(&SECUREBITS);),
    prctl!(PR_GET_FP_MODE -> Ret::Flags(&FP_MODE);),
    prctl!(PR_SVE_GET_VL | PR_SME_GET_VL | PR_RISCV_V_GET_CONTROL -> Ret::Hex;),
    // Options that answer through a pointer.
    prctl!(PR_GET_PDEATHSIG -> Ret::Int; arg("sig", out!(Ty::Signal))),
    prctl!(PR_GET_UNALIGN -> Ret::Int; arg("flags", out!(Ty::Flags(&UNALIGN)))),
    prctl!(PR_GET_FPEMU -> Ret::Int; arg("fpemu", out!(Ty::UInt))),
    prctl!(PR_GET_FPEXC -> Ret::Int; arg("mode", out!(Ty::UInt))),
    prctl!(PR_GET_ENDIAN -> Ret::Int; arg("endianness", out!(Ty::UInt))),
    prctl!(PR_GET_CHILD_SUBREAPER -> Ret::Int; arg("isset", out!(Ty::UInt))),
    prctl!(PR_GET_TSC -> Ret::Int; arg("flag", out!(Ty::Enum(&TSC)))),
    prctl!(PR_GET_TID_ADDRESS -> Ret::Int; arg("addr", out!(Ty::Addr))),
    prctl!(PR_GET_NAME -> Ret::Int; arg("name", NAME_OUT)),
    // Options that set a number.
    prctl!(PR_SET_PDEATHSIG -> Ret::Int; arg("sig", word!(Ty::Custom(Irregular::WideSignal, &Ty::ULong)))),
    prctl!(PR_SET_DUMPABLE -> Ret::Int; arg("dumpable", word!(Ty::Enum(&DUMPABLE)))),
    prctl!(PR_SET_UNALIGN -> Ret::Int; arg("flags", Ty::Flags(&UNALIGN))),
    prctl!(PR_SET_KEEPCAPS -> Ret::Int; arg("state", Ty::ULong)),
    prctl!(PR_SET_FPEMU -> Ret::Int; arg("fpemu", Ty::ULong)),
    prctl!(PR_SET_FPEXC | PR_SET_TIMING -> Ret::Int; arg("mode", Ty::ULong)),
    prctl!(PR_SET_ENDIAN -> Ret::Int; arg("endianness", Ty::ULong)),
    prctl!(PR_SET_TSC -> Ret::Int; arg("flag", Ty::Enum(&TSC))),
    prctl!(PR_SET_SECUREBITS -> Ret::Int; arg("flags", word!(Ty::Flags(&SECUREBITS)))),
    prctl!(PR_SET_TIMERSLACK -> Ret::Int; arg("slack", Ty::Long)),
    prctl!(PR_SET_CHILD_SUBREAPER -> Ret::Int; arg("set", Ty::ULong)),
    prctl!(PR_SET_NAME -> Ret::Int; arg("name", NAME_IN)),
    prctl!(PR_CAPBSET_READ | PR_CAPBSET_DROP -> Ret::Int; arg("cap", word!(Ty::Enum(&CAP)))),
    prctl!(PR_SET_FP_MODE -> Ret::Int; arg("mode", Ty::Flags(&FP_MODE))),
    prctl!(PR_SVE_SET_VL -> Ret::Hex; arg("value", Ty::Custom(Irregular::SveLength, &Ty::HexLong))),
    prctl!(PR_SME_SET_VL -> Ret::Hex; arg("arg", Ty::Custom(Irregular::SmeLength, &Ty::HexLong))),
    prctl!(PR_RISCV_V_SET_CONTROL -> Ret::Int; arg("arg", Ty::Custom(Irregular::RiscvVector, &Ty::HexLong))),
    prctl!(PR_RISCV_SET_ICACHE_FLUSH_CTX -> Ret::Int;
        arg("ctx", word!(Ty::Enum(&RISCV_ICACHE))), arg("scope", word!(Ty::Enum(&RISCV_SCOPE)))),
    prctl!(PR_SET_PTRACER -> Ret::Int; arg("pid", Ty::Custom(Irregular::PtracerPid, &Ty::Int))),
    // Options with registers that must be zero.
    prctl!(PR_SET_NO_NEW_PRIVS -> Ret::Int; arg("set", Ty::ULong), ARG3, ARG4, ARG5),
    prctl!(PR_SET_THP_DISABLE -> Ret::Int; arg("flag", Ty::ULong), ARG3, ARG4, ARG5),
    prctl!(PR_SET_IO_FLUSHER -> Ret::Int; arg("state", Ty::ULong), ARG3, ARG4, ARG5),
    prctl!(PR_PAC_RESET_KEYS -> Ret::Int; arg("keys", word!(Ty::Flags(&PAC))), ARG3, ARG4, ARG5),
    prctl!(PR_SET_TAGGED_ADDR_CTRL -> Ret::Int;
        arg("mode", Ty::Custom(Irregular::TaggedAddr, &Ty::HexLong)), ARG3, ARG4, ARG5),
    prctl!(PR_GET_TAGGED_ADDR_CTRL -> Ret::Hex; ARG2, ARG3, ARG4, ARG5),
    prctl!(PR_SET_MDWE -> Ret::Int; arg("mask", Ty::Flags(&MDWE)), ARG3, ARG4, ARG5),
    prctl!(PR_GET_MDWE -> Ret::Flags(&MDWE); ARG2, ARG3, ARG4, ARG5),
    prctl!(PR_MCE_KILL_GET -> Ret::Enum(&MCE_POLICY); ARG2, ARG3, ARG4, ARG5),
    prctl!(PR_PAC_GET_ENABLED_KEYS -> Ret::Flags(&PAC_ENABLED); ARG2, ARG3, ARG4, ARG5),
    prctl!(PR_PAC_SET_ENABLED_KEYS -> Ret::Int;
        arg("bitmask_affected", word!(Ty::Flags(&PAC_ENABLED))), arg("bitmask_set", word!(Ty::Flags(&PAC_ENABLED))),
        ARG4, ARG5),
    prctl!(PR_PPC_GET_DEXCR -> Ret::Flags(&DEXCR_CTRL); arg("which", word!(Ty::Enum(&DEXCR))), ARG3, ARG4, ARG5),
    prctl!(PR_PPC_SET_DEXCR -> Ret::Int;
        arg("which", word!(Ty::Enum(&DEXCR))), arg("ctrl", word!(Ty::Flags(&DEXCR_CTRL))), ARG4, ARG5),
    // Options with operations of their own.
    prctl!(PR_SET_MM -> Ret::Int; arg("operation", Ty::Enum(&MM)), ARG3, ARG4, ARG5),
    prctl!(PR_SET_SECCOMP -> Ret::Int;
        arg("mode", word!(Ty::Enum(&SECCOMP_MODE))),
        arg("filter", FILTER).when(only("mode", &[c::SECCOMP_MODE_FILTER])),
        ARG3.when(unless("mode", &[c::SECCOMP_MODE_STRICT, c::SECCOMP_MODE_FILTER])),
        ARG4.when(unless("mode", &[c::SECCOMP_MODE_STRICT, c::SECCOMP_MODE_FILTER])),
        ARG5.when(unless("mode", &[c::SECCOMP_MODE_STRICT, c::SECCOMP_MODE_FILTER]))),
    prctl!(PR_MCE_KILL -> Ret::Int;
        arg("operation", word!(Ty::Enum(&MCE_KILL))),
        arg("policy", word!(Ty::Enum(&MCE_POLICY))).when(only("operation", &[c::PR_MCE_KILL_SET])),
        ARG3.when(unless("operation", &[c::PR_MCE_KILL_SET])), ARG4, ARG5),
    prctl!(PR_CAP_AMBIENT -> Ret::Int;
        arg("operation", word!(Ty::Enum(&CAP_AMBIENT))),
        arg("caps", word!(Ty::Enum(&CAP))).when(only("operation", AMBIENT_CAP)),
        ARG3.when(unless("operation", AMBIENT_CAP)), ARG4, ARG5),
    prctl!(PR_GET_SPECULATION_CTRL -> SPECULATION_STATE; arg("misfeature", word!(Ty::Enum(&SPECULATION)))),
    prctl!(PR_SET_SPECULATION_CTRL -> Ret::Int;
        arg("misfeature", word!(Ty::Enum(&SPECULATION))),
        arg("value", word!(Ty::Enum(&SPECULATION_SET))).when(only("misfeature", MISFEATURES)),
        arg("value", Ty::HexLong).at(2).when(unless("misfeature", MISFEATURES))),
    prctl!(PR_SET_SYSCALL_USER_DISPATCH -> Ret::Int;
        arg("operation", word!(Ty::Enum(&DISPATCH))), arg("off", Ty::HexLong), arg("size", Ty::HexLong), arg("switch", Ty::Addr)),
    prctl!(PR_SCHED_CORE -> Ret::Int;
        arg("operation", Ty::Enum(&SCHED_CORE)),
        arg("pid", Ty::Custom(Irregular::PidBy("pid_type", PIDTYPES), &Ty::Int)),
        arg("pid_type", Ty::Custom(Irregular::Numbered, &Ty::Enum(&PIDTYPE))),
        arg("cookie", out!(Ty::As(Width::W8, &Ty::HexLong))).when(When::OneOf("operation", 0xffff_ffff, &[c::PR_SCHED_CORE_GET])),
        ARG5.when(When::NoneOf("operation", 0xffff_ffff, &[c::PR_SCHED_CORE_GET]))),
    prctl!(PR_SET_VMA -> Ret::Int;
        arg("attr", word!(Ty::Enum(&VMA))),
        arg("addr", Ty::Addr).when(NAMES_VMA),
        arg("size", Ty::ULong).when(NAMES_VMA),
        arg("name", Ty::Str).when(NAMES_VMA),
        ARG3.when(NAMES_NO_VMA),
        ARG4.when(NAMES_NO_VMA),
        ARG5.when(NAMES_NO_VMA)),
];

/// The kernel's include/linux/pid_types.h
const PIDTYPES: &[(u64, PidKind)] = &[(0, PidKind::Tid), (1, PidKind::Tgid), (2, PidKind::Pgid), (3, PidKind::Sid)];
const AMBIENT_CAP: &[u64] = &[c::PR_CAP_AMBIENT_IS_SET, c::PR_CAP_AMBIENT_RAISE, c::PR_CAP_AMBIENT_LOWER];
const NAMES_VMA: When = only("attr", &[c::PR_SET_VMA_ANON_NAME]);
const NAMES_NO_VMA: When = unless("attr", &[c::PR_SET_VMA_ANON_NAME]);

/// arch_prctl(2) with the operations at the left.
macro_rules! arch_prctl {
    ($($op:ident)|+; $($ty:expr)?) => { arch_prctl!($($op)|+ -> Ret::Int; $($ty)?) };
    ($($op:ident)|+ -> $ret:expr; $($ty:expr)?) => {
        form(&[$(c::$op),+], syscall("arch_prctl", NONE, $ret, &[arg("op", Ty::Enum(&ARCH_PRCTL)), $(arg("addr", $ty))?]))
    };
}

const STATE_MASK: Ty = out!(Ty::Custom(Irregular::Numbered, &Ty::As(Width::W8, &Ty::Flags(&XFEATURE_MASK))));

static ARCH_PRCTL_FORMS: &[Form] = &[
    arch_prctl!(ARCH_GET_FS | ARCH_GET_GS; out!(Ty::Addr)),
    arch_prctl!(ARCH_GET_CPUID;),
    arch_prctl!(ARCH_GET_XCOMP_SUPP | ARCH_GET_XCOMP_PERM | ARCH_GET_XCOMP_GUEST_PERM; STATE_MASK),
    arch_prctl!(ARCH_REQ_XCOMP_PERM | ARCH_REQ_XCOMP_GUEST_PERM -> Ret::Flags(&XFEATURE_MASK); Ty::Custom(Irregular::Numbered, &Ty::As(Width::Word, &Ty::Enum(&XFEATURE)))),
];

/// seccomp(2) with the operations at the left.
macro_rules! seccomp {
    ($($op:ident)|+ -> $ret:expr; $flags:expr, $args:expr) => {
        form(&[$(c::$op),+], syscall("seccomp", NONE, $ret, &[arg("operation", Ty::Enum(&SECCOMP)), arg("flags", $flags), arg("args", $args)]))
    };
}

static SECCOMP_FORMS: &[Form] = &[
    seccomp!(SECCOMP_SET_MODE_FILTER -> Ret::Int; Ty::Flags(&SECCOMP_FILTER_FLAG), FILTER),
    seccomp!(SECCOMP_GET_ACTION_AVAIL -> Ret::Int; Ty::Hex, Ty::Array(Dir::In, &Ty::Enum(&SECCOMP_RET), Len::Fixed(1))),
    seccomp!(SECCOMP_GET_NOTIF_SIZES -> Ret::Int; Ty::Hex, Ty::Ptr(Dir::Out, &Ty::Struct(&SECCOMP_SIZES))),
];

pub static ROWS: &[Syscall] = &[
    syscall("prctl", NONE, Ret::Int, &[arg("op", Ty::Enum(&PRCTL)), ARG2, ARG3, ARG4, ARG5])
        .noted(Note::Prctl).by(SelectKey::of("op"), PRCTL_FORMS)
        .does(&[Effect::NamesThread]),
    syscall("arch_prctl", NONE, Ret::Int, &[arg("op", Ty::Enum(&ARCH_PRCTL)), arg("addr", Ty::HexLong)]).in_kernel(&[("op", "option"), ("addr", "arg2")])
        .by(SelectKey::of("op"), ARCH_PRCTL_FORMS),
    syscall("seccomp", NONE, Ret::Int, &[arg("operation", Ty::Enum(&SECCOMP)), arg("flags", Ty::Hex), arg("args", Ty::Addr)])
        .by(SelectKey::of("operation"), SECCOMP_FORMS).may_need(&[c::CAP_SYS_ADMIN]),
];

pub static I386: &[(&str, Syscall)] = &[];
