//! Structs around scheduling.

use crate::sets::sched::*;
use crate::{Ty, When, Width, structs, uapi::consts as c};

/// The policy is not looked at when it is to be kept, nor are the parameters. A negative policy is refused first.
const NEW_POLICY: When = When::AnyOf(&[
    When::NoneOf(
        "sched_flags",
        c::SCHED_FLAG_KEEP_POLICY | c::SCHED_FLAG_KEEP_PARAMS,
        &[c::SCHED_FLAG_KEEP_POLICY, c::SCHED_FLAG_KEEP_PARAMS, c::SCHED_FLAG_KEEP_POLICY | c::SCHED_FLAG_KEEP_PARAMS],
    ),
    When::AnySet("sched_policy", &[1 << 31]),
]);
const NEW_PARAMS: When = When::NoneOf("sched_flags", c::SCHED_FLAG_KEEP_PARAMS, &[c::SCHED_FLAG_KEEP_PARAMS]);

structs! {
    /// sched_setparam(2): linux/sched.h
    pub PARAM = sched_param { sched_priority: Ty::Int }
    /// sched_setattr(2): linux/sched/types.h
    pub ATTR = sched_attr {
        size: Ty::UInt, sched_policy: Ty::Enum(&POLICY) => NEW_POLICY,
        sched_flags: Ty::As(Width::W8, &Ty::Flags(&SCHED_FLAGS)), sched_nice: Ty::Int => NEW_PARAMS,
        sched_priority: Ty::UInt => NEW_PARAMS, sched_runtime: Ty::U64 => NEW_PARAMS, sched_deadline: Ty::U64 => NEW_PARAMS,
        sched_period: Ty::U64 => NEW_PARAMS, sched_util_min: Ty::UInt, sched_util_max: Ty::UInt
    }
}
