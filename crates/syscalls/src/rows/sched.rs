//! Scheduling: policies, priorities, affinity.

use crate::sets::sched::*;
use crate::structs::sched::*;
use crate::structs::time::{TIMESPEC, TIMESPEC64};
use crate::uapi::consts as c;
use crate::{Class, Dir, Effect, Facility, Irregular, Len, Note, PidKind, Ret, Syscall, Ty, arg, syscall};

const NONE: Class = Class::NONE;
const PID: Ty = Ty::Pid(PidKind::Tgid);
const PRIO_WHO: Ty = Ty::Custom(
    Irregular::PidBy("which", &[(c::PRIO_PROCESS, PidKind::Tgid), (c::PRIO_PGRP, PidKind::Pgid)]),
    &Ty::Int,
);
/// As many bytes of a CPU set as are looked at: 8192 CPUs are the most a kernel can be built for.
const CPU_BYTES: u32 = 1024;

pub static ROWS: &[Syscall] = &[
    syscall("sched_yield", NONE, Ret::Int, &[]).does(&[Effect::Yields]),
    syscall("sched_setparam", NONE, Ret::Int, &[arg("pid", PID), arg("param", Ty::Ptr(Dir::In, &Ty::Struct(&PARAM)))]),
    syscall("sched_getparam", NONE, Ret::Int, &[arg("pid", PID), arg("param", Ty::Ptr(Dir::Out, &Ty::Struct(&PARAM)))]),
    syscall("sched_setscheduler", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("policy", Ty::Flags(&POLICY_FLAGS)),
        arg("param", Ty::Ptr(Dir::In, &Ty::Struct(&PARAM))),
    ]).does(&[Effect::Controls(Facility::Scheduling)]),
    syscall("sched_getscheduler", NONE, Ret::Hex, &[arg("pid", PID)]).noted(Note::SchedPolicy),
    syscall("sched_get_priority_max", NONE, Ret::Int, &[arg("policy", Ty::Enum(&POLICY))]),
    syscall("sched_get_priority_min", NONE, Ret::Int, &[arg("policy", Ty::Enum(&POLICY))]),
    syscall("sched_rr_get_interval", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("tp", Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC))),
    ]).in_kernel(&[("tp", "interval")]),
    syscall("sched_rr_get_interval_time64", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("tp", Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC64))),
    ]),
    syscall("sched_setaffinity", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("cpusetsize", Ty::UInt),
        arg("mask", Ty::Custom(Irregular::CpuSet, &Ty::Buffer(Dir::In, Len::Of("cpusetsize"), CPU_BYTES))),
    ]).in_kernel(&[("cpusetsize", "len"), ("mask", "user_mask_ptr")]).may_need(&[c::CAP_SYS_NICE]),
    syscall("sched_getaffinity", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("cpusetsize", Ty::UInt),
        arg("mask", Ty::Custom(Irregular::CpuSet, &Ty::Buffer(Dir::Out, Len::Ret, CPU_BYTES))),
    ]).in_kernel(&[("cpusetsize", "len"), ("mask", "user_mask_ptr")]).does(&[Effect::AsksOfItself]),
    syscall("sched_setattr", NONE, Ret::Int, &[
        arg("pid", PID),
        // If the kernel does not know the whole struct, it writes the size that it knows to `size`.
        arg("attr", Ty::Custom(Irregular::SchedAttr, &Ty::Buffer(Dir::InOutAlways, Len::Fixed(56), 56))),
        arg("flags", Ty::Hex),
    ]).in_kernel(&[("attr", "uattr")]).does(&[Effect::Controls(Facility::Scheduling)]),
    syscall("sched_getattr", NONE, Ret::Int, &[
        arg("pid", PID),
        arg("attr", Ty::Custom(Irregular::SchedAttr, &Ty::Buffer(Dir::Out, Len::Fixed(56), 56))),
        arg("size", Ty::UInt),
        arg("flags", Ty::Flags(&GETATTR)),
    ]).in_kernel(&[("attr", "uattr"), ("size", "usize")]),
    syscall("getpriority", NONE, Ret::Int, &[arg("which", Ty::Enum(&PRIO_WHICH)), arg("who", PRIO_WHO)]),
    syscall("setpriority", NONE, Ret::Int, &[
        arg("which", Ty::Enum(&PRIO_WHICH)),
        arg("who", PRIO_WHO),
        arg("prio", Ty::Int),
    ]).in_kernel(&[("prio", "niceval")]).does(&[Effect::SetsPriority]),
    syscall("nice", NONE, Ret::Int, &[arg("increment", Ty::Int)]).does(&[Effect::SetsPriority]),
];

pub static I386: &[(&str, Syscall)] = &[];
