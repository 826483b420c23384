//! The ABIs for which facts are gathered.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Abi {
    X86_64,
    I386,
    Aarch64,
}

impl Abi {
    pub const ALL: [Abi; 3] = [Abi::X86_64, Abi::I386, Abi::Aarch64];

    pub fn name(self) -> &'static str {
        match self {
            Abi::X86_64 => "x86_64",
            Abi::I386 => "i386",
            Abi::Aarch64 => "aarch64",
        }
    }

    /// The kernel's `arch/` directory.
    pub fn arch(self) -> &'static str {
        match self {
            Abi::X86_64 | Abi::I386 => "x86",
            Abi::Aarch64 => "arm64",
        }
    }

    pub fn target(self) -> &'static str {
        match self {
            Abi::X86_64 => "x86_64-linux-gnu",
            Abi::I386 => "i386-linux-gnu",
            Abi::Aarch64 => "aarch64-linux-gnu",
        }
    }
}
