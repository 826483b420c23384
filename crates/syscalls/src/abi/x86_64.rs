//! x86-64.

use super::facts::{Abi, AbiFacts, MachineRegisters, Unistd};

pub const FACTS: AbiFacts = AbiFacts {
    abi: Abi::X86_64,
    name: "x86_64",
    title: "x86-64",
    word: 8,
    audit_arch: 0xC000_003E,
    elf_machine: 62,
    triple: "x86_64-linux-gnu",
    kernel_arch: "x86",
    served: &[Abi::X86_64, Abi::I386],
    // arch/x86/entry/syscalls/syscall_64.tbl: uretprobe since 6.11, uprobe since 6.18; not on others.
    unistd: Unistd::Header("unistd_64.h", &[(335, "uretprobe"), (336, "uprobe")]),
    clone_tls: 4,
    clone_child: 3,
    before_ucontext: 0,
    registers: MachineRegisters {
        // rdi, rsi, rdx, rcx, r8, r9 (System V ABI).
        arguments: &[112, 104, 96, 88, 72, 64],
        // rax, rbx, rcx.
        go_arguments: &[80, 40, 88],
        result: 80,
        stack_pointer: 152,
        return_address: 8,
        names: &[
            (80, &["rax", "eax", "ax", "al"]),
            (40, &["rbx", "ebx", "bx", "bl"]),
            (88, &["rcx", "ecx", "cx", "cl"]),
            (96, &["rdx", "edx", "dx", "dl"]),
            (104, &["rsi", "esi", "si", "sil"]),
            (112, &["rdi", "edi", "di", "dil"]),
            (32, &["rbp", "ebp", "bp", "bpl"]),
            (152, &["rsp", "esp", "sp", "spl"]),
            (72, &["r8", "r8d", "r8w", "r8b"]),
            (64, &["r9", "r9d", "r9w", "r9b"]),
            (56, &["r10", "r10d", "r10w", "r10b"]),
            (48, &["r11", "r11d", "r11w", "r11b"]),
            (24, &["r12", "r12d", "r12w", "r12b"]),
            (16, &["r13", "r13d", "r13w", "r13b"]),
            (8, &["r14", "r14d", "r14w", "r14b"]),
            (0, &["r15", "r15d", "r15w", "r15b"]),
            (128, &["rip"]),
        ],
    },
};
