//! The effects of machine instructions by which calls are found: where control goes, which addresses are named, and where values come from.

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValuePlace {
    /// A register by its number in the machine's own order, in its full width.
    Register(u8),
    /// A word in memory at a distance from a register, such as a place on the stack.
    Memory { base: u8, offset: i64 },
}

/// The value that a place has after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueSource {
    Untouched,
    Constant(u64),
    /// The value of another place.
    Copy(ValuePlace),
    Unknown,
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    Next,
    /// `None`: to an address that is computed, or read from a slot.
    Jump(Option<u64>),
    Branch(u64),
    Call(Option<u64>),
    /// A return, or an instruction that does not return.
    Stop,
    /// A system call.
    Syscall,
    /// Padding between functions.
    Nothing,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub at: u64,
    /// The address of the one behind it.
    pub next: u64,
    pub flow: Control,
    pub names: Option<NamedAddress>,
}

/// An address in an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedAddress {
    /// The address of a function, a table or another thing, which is put into a register.
    Address(u64),
    /// The address of a word that is read or written. The word may be a pointer.
    Word(u64),
}

/// The instructions of a machine.
pub trait Isa {
    type Instruction: Copy;
    /// Where the kernel takes the number of a call from.
    const NUMBER: ValuePlace;

    /// Decodes code at an address, and hands out each instruction. `fixed`: the code has addresses as plain numbers, because it is not moved.
    fn decode(code: &[u8], at: u64, fixed: bool, take: impl FnMut(Self::Instruction, Step));
    fn source(instruction: &Self::Instruction, place: ValuePlace) -> ValueSource;
    /// True if a function finds this argument there when it begins.
    fn is_argument(place: ValuePlace) -> bool;
    /// The place before a call where a function finds this argument when it begins.
    fn before_call(argument: ValuePlace) -> ValuePlace {
        argument
    }
}
