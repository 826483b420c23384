//! aarch64, which the kernel calls arm64.

use super::facts::{Abi, AbiFacts, MachineRegisters, Unistd};

pub const FACTS: AbiFacts = AbiFacts {
    abi: Abi::Aarch64,
    name: "aarch64",
    title: "aarch64",
    word: 8,
    audit_arch: 0xC000_00B7,
    elf_machine: 183,
    triple: "aarch64-linux-gnu",
    kernel_arch: "arm64",
    // (Many of its kernels serve 32-bit calls, too. These are not described.)
    served: &[Abi::Aarch64],
    // Its choices are macros in its own unistd.h up to 6.10, and in scripts/syscall.tbl since then.
    unistd: Unistd::Generic(&["RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT", "SYS_CLONE3", "MEMFD_SECRET"]),
    clone_tls: 3,
    clone_child: 4,
    // The `siginfo_t`.
    before_ucontext: 128,
    registers: MachineRegisters {
        // x0 to x7.
        arguments: &[0, 8, 16, 24, 32, 40, 48, 56],
        go_arguments: &[0, 8, 16],
        result: 0,
        stack_pointer: 248,
        return_address: 0,
        names: &[
            (0, &["x0", "w0"]),
            (8, &["x1", "w1"]),
            (16, &["x2", "w2"]),
            (24, &["x3", "w3"]),
            (32, &["x4", "w4"]),
            (40, &["x5", "w5"]),
            (48, &["x6", "w6"]),
            (56, &["x7", "w7"]),
            (64, &["x8", "w8"]),
            (72, &["x9", "w9"]),
            (80, &["x10", "w10"]),
            (88, &["x11", "w11"]),
            (96, &["x12", "w12"]),
            (104, &["x13", "w13"]),
            (112, &["x14", "w14"]),
            (120, &["x15", "w15"]),
            (128, &["x16", "w16"]),
            (136, &["x17", "w17"]),
            (144, &["x18", "w18"]),
            (152, &["x19", "w19"]),
            (160, &["x20", "w20"]),
            (168, &["x21", "w21"]),
            (176, &["x22", "w22"]),
            (184, &["x23", "w23"]),
            (192, &["x24", "w24"]),
            (200, &["x25", "w25"]),
            (208, &["x26", "w26"]),
            (216, &["x27", "w27"]),
            (224, &["x28", "w28"]),
            (232, &["x29", "w29"]),
            (240, &["x30", "w30"]),
            (248, &["sp"]),
        ],
    },
};
