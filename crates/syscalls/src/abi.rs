//! The ABIs a tracee may use for one call. An x86-64 kernel serves two on the same thread.

use crate::folded;
use stride_uapi::numbers;

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

impl Abi {
    /// All ABIs that Stride knows.
    pub const ALL: [Abi; 3] = [Abi::X86_64, Abi::I386, Abi::Aarch64];

    /// The ABI of the machine Stride was built for.
    pub const NATIVE: Abi = if cfg!(target_arch = "aarch64") { Abi::Aarch64 } else { Abi::X86_64 };

    /// The ABIs that a kernel of this machine serves.
    pub const SERVED: &[Abi] = match Abi::NATIVE {
        Abi::X86_64 | Abi::I386 => &[Abi::X86_64, Abi::I386],
        Abi::Aarch64 => &[Abi::Aarch64],
    };

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Abi::X86_64 => "x86_64",
            Abi::I386 => "i386",
            Abi::Aarch64 => "aarch64",
        }
    }

    /// The ABI whose value is `value`.
    pub const fn from_value(value: u8) -> Option<Abi> {
        match value {
            0 => Some(Abi::X86_64),
            1 => Some(Abi::I386),
            2 => Some(Abi::Aarch64),
            _ => None,
        }
    }

    /// Size of `long` and of a pointer in bytes.
    pub const fn word(self) -> usize {
        match self {
            Abi::I386 => 4,
            Abi::X86_64 | Abi::Aarch64 => 8,
        }
    }

    /// Cuts a register or memory word to this ABI's width.
    pub const fn cut(self, raw: u64) -> u64 {
        match self {
            Abi::I386 => raw as u32 as u64,
            Abi::X86_64 | Abi::Aarch64 => raw,
        }
    }

    /// The number and name of every syscall of this ABI, described or not.
    pub const fn numbers(self) -> &'static [(u32, &'static str)] {
        match self {
            Abi::X86_64 => numbers::X86_64,
            Abi::I386 => &I386,
            Abi::Aarch64 => numbers::AARCH64,
        }
    }

    /// From the `AUDIT_ARCH_*` value of `struct ptrace_syscall_info` or `struct seccomp_data` (linux/audit.h).
    pub fn from_audit_arch(arch: u32) -> Option<Abi> {
        Abi::ALL.into_iter().find(|abi| abi.audit_arch() == arch)
    }

    /// The architecture as audit and seccomp name it: `AUDIT_ARCH_X86_64` and its like (linux/audit.h).
    pub const fn audit_arch(self) -> u32 {
        match self {
            Abi::X86_64 => 0xC000_003E,
            Abi::I386 => 0x4000_0003,
            Abi::Aarch64 => 0xC000_00B7,
        }
    }
}

/// With the calls that only socketcall(2) and ipc(2) make.
const I386: [(u32, &str); numbers::I386.len() + folded::NUMBERS.len()] = {
    let (known, mut all) = (numbers::I386.len(), [(0, ""); numbers::I386.len() + folded::NUMBERS.len()]);
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < known { numbers::I386[i] } else { folded::NUMBERS[i - known] };
        i += 1;
    }
    all
};
