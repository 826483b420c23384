//! The meaning of an eBPF instruction, as far as it matters which instructions can be reached.

/// As the kernel has it (`struct bpf_insn`, linux/bpf.h).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub code: u8,
    registers: u8,
    pub offset: i16,
    pub immediate: i32,
}

// Classes: the lower three bits of `code`.
pub const LD: u8 = 0;
pub const LDX: u8 = 1;
pub const ST: u8 = 2;
pub const STX: u8 = 3;
pub const ALU32: u8 = 4;
pub const JMP: u8 = 5;
pub const JMP32: u8 = 6;
pub const ALU64: u8 = 7;

/// The second operand is a register. (Otherwise, it is the immediate.)
pub const BY_REGISTER: u8 = 0x08;

// Operations of ALU32 and ALU64: the upper four bits.
pub const ADD: u8 = 0x00;
pub const SUB: u8 = 0x10;
pub const MUL: u8 = 0x20;
pub const OR: u8 = 0x40;
pub const AND: u8 = 0x50;
pub const LSH: u8 = 0x60;
pub const RSH: u8 = 0x70;
pub const NEG: u8 = 0x80;
pub const XOR: u8 = 0xa0;
pub const MOV: u8 = 0xb0;
pub const ARSH: u8 = 0xc0;

// Operations of JMP and JMP32.
pub const JA: u8 = 0x00;
pub const CALL: u8 = 0x80;
pub const EXIT: u8 = 0x90;

/// Two instructions long.
pub const LOAD_64: u8 = 0x18;

// Modes of LDX and STX: the upper three bits.
pub const MEMORY: u8 = 0x60;
pub const ATOMIC: u8 = 0xc0;

// Meanings of the source register in LOAD_64, and in CALL.
pub const NUMBER: u8 = 0;
pub const MAP_VALUE: u8 = 2;
pub const FUNCTION: u8 = 4;
pub const OWN_FUNCTION: u8 = 1;

impl Instruction {
    pub const fn new(code: u8, to: u8, from: u8, offset: i16, immediate: i32) -> Instruction {
        Instruction { code, registers: from << 4 | to, offset, immediate }
    }

    pub fn class(self) -> u8 {
        self.code & 7
    }

    pub fn operation(self) -> u8 {
        self.code & 0xf0
    }

    pub fn mode(self) -> u8 {
        self.code & 0xe0
    }

    /// Bytes that a load or store moves.
    pub fn size(self) -> usize {
        match self.code & 0x18 {
            0x00 => 4,
            0x08 => 2,
            0x10 => 1,
            _ => 8,
        }
    }

    pub fn to(self) -> u8 {
        self.registers & 0xf
    }

    pub fn from(self) -> u8 {
        self.registers >> 4
    }

    pub fn by_register(self) -> bool {
        self.code & BY_REGISTER != 0
    }

    /// The number of places that it takes in a program.
    pub fn len(self) -> usize {
        if self.code == LOAD_64 { 2 } else { 1 }
    }

    pub fn is_jump(self) -> bool {
        matches!(self.class(), JMP | JMP32) && !matches!(self.operation(), CALL | EXIT)
    }

    /// The instruction that a jump leads to, from its own.
    pub fn jump_target(self, at: usize) -> Option<usize> {
        let distance =
            if self.class() == JMP32 && self.operation() == JA { self.immediate } else { self.offset.into() };
        (at + 1).checked_add_signed(distance as isize)
    }

    /// The function of the same program that is called, or whose address is loaded.
    pub fn function(self, at: usize) -> Option<Option<usize>> {
        let called = self.class() == JMP && self.operation() == CALL && self.from() == OWN_FUNCTION;
        let loaded = self.code == LOAD_64 && self.from() == FUNCTION;
        (called || loaded).then(|| (at + 1).checked_add_signed(self.immediate as isize))
    }
}
