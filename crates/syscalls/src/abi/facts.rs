//! The kinds of facts.

/// The calling convention of a call. It is recorded for every call, never guessed from the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Abi {
    /// 64-bit x86, and x32 with it.
    X86_64 = 0,
    /// 32-bit x86.
    I386 = 1,
    /// 64-bit Arm.
    Aarch64 = 2,
}

/// The facts that tell an ABI from the others.
pub struct AbiFacts {
    pub abi: Abi,
    /// As in JSON, and in the names of tables. That of a machine's own ABI is also Rust's name of the machine.
    pub name: &'static str,
    /// The name in text.
    pub title: &'static str,
    /// Size of `long` and of a pointer in bytes.
    pub word: usize,
    /// `AUDIT_ARCH_*` in linux/audit.h.
    pub audit_arch: u32,
    /// `EM_*` in linux/elf-em.h.
    pub elf_machine: u16,
    /// The names by which compilers and Debian's directories of libraries know it.
    pub triple: &'static str,
    /// The directory of its machine in the kernel's `arch/`.
    pub kernel_arch: &'static str,
    /// The ABIs that a kernel of its machine serves.
    pub served: &'static [Abi],
    /// The source of the numbers of its calls.
    pub unistd: Unistd,
    /// The registers of clone(2) that have the TLS and the address for the child's id, counted from 0.
    pub clone_tls: u8,
    pub clone_child: u8,
    /// The bytes before the `struct ucontext` in the frame that rt_sigreturn(2) finds at the stack pointer
    /// (asm/sigframe.h).
    pub before_ucontext: usize,
    pub registers: MachineRegisters,
}

/// The place of an ABI's numbers in the kernel's headers.
pub enum Unistd {
    /// A header of the C library, and calls that are newer than it: their numbers and names.
    Header(&'static str, &'static [(u32, &'static str)]),
    /// The generic list, with these `__ARCH_WANT_*`.
    Generic(&'static [&'static str]),
}

/// Registers of user space, by their offsets in the kernel's `struct pt_regs`.
pub struct MachineRegisters {
    /// Those of a function's arguments.
    pub arguments: &'static [u16],
    /// The same in Go's internal ABI.
    pub go_arguments: &'static [u16],
    /// That of a function's result.
    pub result: u16,
    /// The offset of the stack pointer there, in bytes.
    pub stack_pointer: u16,
    /// As many bytes lie on the stack between the stack pointer and a function's further arguments, when it is entered:
    /// the return address, which the return takes away.
    pub return_address: u8,
    /// Their names in assembly code: for 8 bytes of the register, 4, 2 and 1.
    pub names: &'static [(u16, &'static [&'static str])],
}
