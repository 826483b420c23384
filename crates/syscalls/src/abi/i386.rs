//! The 32-bit calls of an x86-64 kernel.

use super::facts::{Abi, AbiFacts, MachineRegisters, Unistd};
use super::x86_64;

pub const FACTS: AbiFacts = AbiFacts {
    abi: Abi::I386,
    name: "i386",
    title: "i386",
    word: 4,
    audit_arch: 0x4000_0003,
    elf_machine: 3,
    triple: "i386-linux-gnu",
    kernel_arch: "x86",
    served: x86_64::FACTS.served,
    unistd: Unistd::Header("unistd_32.h", &[]),
    clone_tls: 3,
    clone_child: 4,
    // The handler's three arguments and the `siginfo_t`.
    before_ucontext: 12 + 128,
    // Functions of 32-bit programs are not traced.
    registers: MachineRegisters {
        arguments: &[],
        go_arguments: &[],
        result: x86_64::FACTS.registers.result,
        stack_pointer: x86_64::FACTS.registers.stack_pointer,
        return_address: 4,
        names: &[],
    },
};
