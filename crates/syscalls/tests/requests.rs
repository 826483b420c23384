//! The directions of requests of ioctl(2), as their numbers say: asm-generic/ioctl.h. A request whose number says that
//! the kernel writes is shown as it is after the call, too.

use std::collections::BTreeSet;
use stride_syscalls::ioctl::{CASES, name};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, row_named};

const WRITTEN_BY_KERNEL: u64 = 2 << 30;
const READ_BY_KERNEL: u64 = 1 << 30;

/// Requests whose numbers are wrong, or say more than happens. The kernel's code decides.
const UNLIKE_THEIR_NUMBERS: &[&str] = &[
    // Numbers with the wrong direction.
    "FS_IOC_SHUTDOWN",
    "MEMISLOCKED",
    "OTPGETREGIONCOUNT",
    "OTPGETREGIONINFO",
    "OTPLOCK",
    "OTPSELECT",
    "PTP_SYS_OFFSET",
    "PTP_SYS_OFFSET2",
    "RTC_PARAM_GET",
    "SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR",
    "TEE_IOC_CANCEL",
    "TEE_IOC_CLOSE_SESSION",
    "TEE_IOC_INVOKE",
    "TEE_IOC_OBJECT_INVOKE",
    "TEE_IOC_OPEN_SESSION",
    "TEE_IOC_SUPPL_RECV",
    "TEE_IOC_SUPPL_SEND",
    "UBI_IOCATT",
    "UBI_IOCEBISMAP",
    "UBI_IOCMKVOL",
    "UFFDIO_UNREGISTER",
    "UFFDIO_WAKE",
    "WDIOC_SETOPTIONS",
    // The kernel writes nothing.
    "BTRFS_IOC_DEVICES_READY",
    "BTRFS_IOC_QGROUP_LIMIT",
    "GPIOHANDLE_SET_CONFIG_IOCTL",
    "GPIOHANDLE_SET_LINE_VALUES_IOCTL",
    "GPIO_GET_LINEINFO_UNWATCH_IOCTL",
    "GPIO_V2_LINE_SET_CONFIG_IOCTL",
    "GPIO_V2_LINE_SET_VALUES_IOCTL",
    "MEMWRITE",
    "SECCOMP_IOCTL_NOTIF_SEND",
    "UFFDIO_WRITEPROTECT",
    "WDIOC_SETPRETIMEOUT",
    // The kernel writes back the number that it was given.
    "VIDIOC_S_INPUT",
    // The kernel reads nothing, or only how much room there is.
    "FS_IOC_GETLBMD_CAP",
    "GPIOHANDLE_GET_LINE_VALUES_IOCTL",
    "KVM_GET_CPUID2",
    "KVM_GET_EMULATED_CPUID",
    "KVM_GET_SUPPORTED_CPUID",
    "PTP_SYS_OFFSET_PRECISE",
    "PTP_SYS_OFFSET_PRECISE2",
    "PTP_SYS_OFFSET_PRECISE_CYCLES",
    // The kernel writes back the whole struct, an id of older kernels, or the size that it knows.
    "BTRFS_IOC_SNAP_CREATE_V2",
    "BTRFS_IOC_SUBVOL_CREATE_V2",
    "PERF_EVENT_IOC_MODIFY_ATTRIBUTES",
    "VIDIOC_S_TUNER",
];

#[test]
fn requests_have_the_directions_of_their_numbers() {
    let row = row_named("ioctl").expect("ioctl(2)");
    let plan = Plan::of(row, Abi::X86_64);
    let ops = |request| {
        plan.choices[0].cases.iter().find(|case| case.0 == request).map_or(&plan.choices[0].default, |case| &case.1)
    };
    let mut wrong = BTreeSet::new();
    for case in &CASES {
        let (request, ops) = (case.0, ops(case.0));
        // Older numbers have no direction.
        if request & (WRITTEN_BY_KERNEL | READ_BY_KERNEL) == 0 || ops.is_empty() {
            continue;
        }
        let (given, answered) = (ops.iter().any(|op| op.dir.at_entry()), ops.iter().any(|op| op.dir.at_exit(true)));
        if answered != (request & WRITTEN_BY_KERNEL != 0) || given != (request & READ_BY_KERNEL != 0) {
            let name = name(Abi::X86_64, request as u32).unwrap_or("?");
            wrong.insert(name);
        }
    }
    let allowed: BTreeSet<&str> = UNLIKE_THEIR_NUMBERS.iter().copied().collect();
    let (new, gone): (Vec<_>, Vec<_>) = (wrong.difference(&allowed).collect(), allowed.difference(&wrong).collect());
    assert!(new.is_empty(), "not in the directions that their numbers say: {new:?}");
    assert!(gone.is_empty(), "listed, and as their numbers say: {gone:?}");
}
