//! The registers that unwinding deals with, by their numbers in DWARF, and where the kernel saves them for a signal
//! handler.

use stride_event::CodeKind;

/// The registers of a kind of code.
#[derive(Debug)]
pub struct Registers {
    pub sp: u8,
    pub bp: u8,
    /// The number that stands for the return address.
    pub return_address: u8,
    /// The registers that calls preserve.
    pub saved: &'static [u8],
}

/// The most registers that calls preserve.
pub const MOST_SAVED: usize = 6;

/// Preserved: rbx, rbp, r12 to r15.
static X86_64: Registers = Registers { sp: 7, bp: 6, return_address: 16, saved: &[3, 6, 12, 13, 14, 15] };
/// Preserved: ebx, ebp, esi, edi.
static I386: Registers = Registers { sp: 4, bp: 5, return_address: 8, saved: &[3, 5, 6, 7] };

impl Registers {
    pub fn of(kind: CodeKind) -> &'static Registers {
        match kind {
            CodeKind::X86_64 => &X86_64,
            CodeKind::I386 => &I386,
        }
    }
}

/// For each register of 32-bit code, its place among the registers of x86-64. DWARF numbers these: eax, ecx, edx, ebx,
/// esp, ebp, esi, edi.
pub const I386_AMONG_ALL: [usize; 8] = [0, 2, 1, 3, 7, 6, 4, 5];

/// The frame that the kernel makes for a signal handler. The handler returns to code that ends the frame, and the code
/// tells which frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalFrame {
    X86_64,
    /// A 32-bit handler without siginfo_t.
    I386,
    /// The same when the signal's number was taken from the stack.
    I386Popped,
    /// A 32-bit handler with siginfo_t.
    I386Info,
}

/// The saved registers of a signal frame.
#[derive(Debug)]
pub struct SavedRegisters {
    /// The distance of the first one from the stack pointer.
    pub from: u64,
    /// The registers' numbers in DWARF, each with its distance from the first one.
    pub places: &'static [(u8, u64)],
    /// The distance of the instruction pointer.
    pub ip: u64,
}

/// `struct sigcontext`: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp.
const X86_64_PLACES: [(u8, u64); 16] = [
    (8, 0),
    (9, 8),
    (10, 16),
    (11, 24),
    (12, 32),
    (13, 40),
    (14, 48),
    (15, 56),
    (5, 64),
    (4, 72),
    (6, 80),
    (3, 88),
    (1, 96),
    (0, 104),
    (2, 112),
    (7, 120),
];
/// `struct sigcontext_32`, behind four segments: edi, esi, ebp, esp, ebx, edx, ecx, eax.
const I386_PLACES: [(u8, u64); 8] = [(7, 16), (6, 20), (5, 24), (4, 28), (3, 32), (2, 36), (1, 40), (0, 44)];

impl SignalFrame {
    /// Where the registers are, seen from the stack pointer when the handler has returned.
    pub fn saved(self) -> SavedRegisters {
        let i386 = |from| SavedRegisters { from, places: &I386_PLACES, ip: 56 };
        match self {
            // (In struct ucontext.)
            SignalFrame::X86_64 => SavedRegisters { from: 40, places: &X86_64_PLACES, ip: 128 },
            // The number of the signal is in front of them.
            SignalFrame::I386 => i386(4),
            SignalFrame::I386Popped => i386(0),
            // Three words, siginfo_t, and the beginning of struct ucontext are in front of them.
            SignalFrame::I386Info => i386(12 + 128 + 20),
        }
    }
}
