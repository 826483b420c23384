//! The ABIs a tracee may use for one call. An x86-64 kernel serves two on the same thread.
//!
//! Each ABI has a file with the facts that tell it from the others. `cargo xtask uapi`, which makes the tables of
//! `stride-uapi`, and the build script of the eBPF engine include this folder as well. So it needs no other module: the
//! tables are made for the ABIs that stand here.

mod aarch64;
pub mod facts;
mod i386;
mod x86_64;

pub use facts::Abi;
use facts::AbiFacts;

/// In the order of the values of [`Abi`].
const FACTS: [&AbiFacts; Abi::ALL.len()] = [&x86_64::FACTS, &i386::FACTS, &aarch64::FACTS];

impl Abi {
    /// All ABIs that Stride knows.
    pub const ALL: [Abi; 3] = [Abi::X86_64, Abi::I386, Abi::Aarch64];

    /// The ABI of the machine Stride was built for.
    pub const NATIVE: Abi = match Abi::of_machine(std::env::consts::ARCH) {
        Some(abi) => abi,
        None => panic!("Stride does not know this machine"),
    };

    /// The ABIs that a kernel of this machine serves.
    pub const SERVED: &[Abi] = Abi::NATIVE.facts().served;

    /// The machine's own ABI, by Rust's name of the machine.
    pub const fn of_machine(machine: &str) -> Option<Abi> {
        let mut i = 0;
        while i < FACTS.len() {
            if same(FACTS[i].name, machine) {
                return Some(FACTS[i].abi);
            }
            i += 1;
        }
        None
    }

    /// The facts that tell this ABI from the others.
    pub const fn facts(self) -> &'static AbiFacts {
        FACTS[self as usize]
    }

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The ABI whose value is `value`.
    pub fn from_value(value: u8) -> Option<Abi> {
        Abi::ALL.get(usize::from(value)).copied()
    }

    /// Size of `long` and of a pointer in bytes.
    pub const fn word(self) -> usize {
        self.facts().word
    }

    /// Cuts a register or memory word to this ABI's width.
    pub const fn cut(self, raw: u64) -> u64 {
        if self.word() == 4 { raw as u32 as u64 } else { raw }
    }

    /// From the `AUDIT_ARCH_*` value of `struct ptrace_syscall_info` or `struct seccomp_data` (linux/audit.h).
    pub fn from_audit_arch(arch: u32) -> Option<Abi> {
        Abi::ALL.into_iter().find(|abi| abi.audit_arch() == arch)
    }

    /// The architecture as audit and seccomp name it: `AUDIT_ARCH_X86_64` and its like (linux/audit.h).
    pub const fn audit_arch(self) -> u32 {
        self.facts().audit_arch
    }
}

const _: () = {
    let mut i = 0;
    while i < FACTS.len() {
        assert!(FACTS[i].abi as usize == i && Abi::ALL[i] as usize == i);
        i += 1;
    }
};

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
