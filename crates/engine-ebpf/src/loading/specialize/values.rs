//! Finds the instructions that can be reached with the values that the settings have.
//!
//! Registers are followed along all paths. A register holds a number that is the same on all paths, the address of a setting, or something unknown.
//! Where a branch depends on known numbers, one of its ways is taken. Memory on the stack is not followed.

use super::instruction::*;
use super::program::Constants;

/// The contents of a register, as far as they are the same on all paths.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Unknown,
    Number(u64),
    /// The address of this byte of the settings.
    Setting(u64),
}
use Value::{Number, Setting, Unknown};

/// r0 to r10. (The last is the frame, which nothing changes.)
type Registers = [Value; 11];

/// The use of an instruction in the specialized program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    Never,
    Yes,
    /// A branch that always jumps, or never.
    Jumps(bool),
}

/// For each instruction whether it can be reached. `None`: an instruction is not understood.
pub fn reached(program: &[Instruction], constants: &Constants) -> Option<Vec<Reached>> {
    let mut paths = Paths { joints: joints(program), before: Vec::new(), open: Vec::new() };
    let mut all = vec![Reached::Never; program.len()];
    paths.lead_to(0, [Unknown; 11])?;
    while let Some((mut at, mut registers)) = paths.next() {
        // The way from here to the next joint. (When a joint's registers become less known, the way is gone again, so the last answer is the one for all paths.)
        loop {
            let instruction = *program.get(at)?;
            all[at] = Reached::Yes;
            if let Some(function) = instruction.function(at) {
                paths.lead_to(function?, [Unknown; 11])?;
            }
            if matches!(instruction.class(), JMP | JMP32) && instruction.operation() == EXIT {
                break;
            }
            if instruction.is_jump() {
                let jumps = decided(instruction, &registers);
                all[at] = jumps.map_or(Reached::Yes, Reached::Jumps);
                if jumps != Some(false) {
                    paths.lead_to(instruction.jump_target(at)?, registers)?;
                }
                if jumps == Some(true) {
                    break;
                }
            } else {
                registers = after(instruction, program.get(at + 1).copied(), registers, constants)?;
            }
            at += instruction.len();
            if *paths.joints.get(at)? != Joint::None {
                paths.lead_to(at, registers)?;
                break;
            }
        }
    }
    for (at, instruction) in program.iter().enumerate() {
        if instruction.len() == 2 && all[at] != Reached::Never {
            *all.get_mut(at + 1)? = Reached::Yes;
        }
    }
    Some(all)
}

/// The instructions to which paths lead from several places.
fn joints(program: &[Instruction]) -> Vec<Joint> {
    let mut joints = vec![Joint::None; program.len()];
    let mut at = 0;
    let first = (!program.is_empty()).then_some(0);
    let others = std::iter::from_fn(|| {
        let (here, instruction) = (at, *program.get(at)?);
        at += instruction.len();
        let jump = instruction.is_jump().then(|| instruction.jump_target(here)).flatten();
        Some(jump.or(instruction.function(here).flatten()))
    });
    for joint in first.into_iter().chain(others.flatten()) {
        // (A jump out of the program is found when a path leads there.)
        if let Some(joint) = joints.get_mut(joint) {
            *joint = Joint::Unreached;
        }
    }
    joints
}

/// Whether paths join at an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    None,
    Unreached,
    /// They do, with these of the registers.
    Reached(u32),
}

/// The paths that were followed so far.
struct Paths {
    /// For each instruction. (The registers before each would be two MiB, most of them never used.)
    joints: Vec<Joint>,
    /// The registers before the joints that were reached, and whether the joint is among the open ones.
    before: Vec<(Registers, bool)>,
    /// Joints from which to go on.
    open: Vec<usize>,
}

impl Paths {
    fn lead_to(&mut self, at: usize, registers: Registers) -> Option<()> {
        match self.joints.get_mut(at)? {
            Joint::None => return None,
            Joint::Reached(place) => {
                let (known, is_open) = self.before.get_mut(*place as usize)?;
                let joined = std::array::from_fn(|i| if known[i] == registers[i] { known[i] } else { Unknown });
                if *known == joined {
                    return Some(());
                }
                *known = joined;
                if std::mem::replace(is_open, true) {
                    return Some(());
                }
            }
            joint => {
                *joint = Joint::Reached(self.before.len() as u32);
                self.before.push((registers, true));
            }
        }
        self.open.push(at);
        Some(())
    }

    /// A joint from which to go on, with the registers there.
    fn next(&mut self) -> Option<(usize, Registers)> {
        let at = self.open.pop()?;
        let Joint::Reached(place) = self.joints[at] else { return None };
        let (registers, is_open) = &mut self.before[place as usize];
        *is_open = false;
        Some((at, *registers))
    }
}

/// True if the jump is always taken, false if it never is.
fn decided(jump: Instruction, registers: &Registers) -> Option<bool> {
    if jump.operation() == JA {
        return Some(true);
    }
    let (Number(a), Number(b)) = (registers.get(jump.to() as usize)?, second_operand(jump, registers)?) else {
        return None;
    };
    let (mut a, mut b) = (*a, b);
    let (mut signed_a, mut signed_b) = (a as i64, b as i64);
    if jump.class() == JMP32 {
        (a, b) = (a as u32 as u64, b as u32 as u64);
        (signed_a, signed_b) = ((a as i32).into(), (b as i32).into());
    }
    Some(match jump.operation() {
        0x10 => a == b,
        0x20 => a > b,
        0x30 => a >= b,
        0x40 => a & b != 0,
        0x50 => a != b,
        0x60 => signed_a > signed_b,
        0x70 => signed_a >= signed_b,
        0xa0 => a < b,
        0xb0 => a <= b,
        0xc0 => signed_a < signed_b,
        0xd0 => signed_a <= signed_b,
        _ => return None,
    })
}

fn second_operand(instruction: Instruction, registers: &Registers) -> Option<Value> {
    if instruction.by_register() {
        return registers.get(instruction.from() as usize).copied();
    }
    Some(Number(i64::from(instruction.immediate) as u64))
}

/// The registers behind an instruction that is no jump. `second`: the one behind it, which may be a part of it.
fn after(
    instruction: Instruction,
    second: Option<Instruction>,
    mut registers: Registers,
    constants: &Constants,
) -> Option<Registers> {
    let to = instruction.to() as usize;
    match instruction.class() {
        LD if instruction.code == LOAD_64 => {
            let upper = second?.immediate as u32;
            *registers.get_mut(to)? = match instruction.from() {
                NUMBER => Number(u64::from(upper) << 32 | u64::from(instruction.immediate as u32)),
                MAP_VALUE if instruction.immediate == constants.map => Setting(upper.into()),
                _ => Unknown,
            };
        }
        // (Packets' bytes, by old instructions.)
        LD => return None,
        LDX => {
            let from = *registers.get(instruction.from() as usize)?;
            *registers.get_mut(to)? = match from {
                Setting(at) if instruction.mode() == MEMORY => loaded(constants, at, instruction),
                _ => Unknown,
            };
        }
        ST => {}
        STX if instruction.mode() == ATOMIC => {
            // Some return the old value, in their own register or in r0.
            registers[0] = Unknown;
            *registers.get_mut(instruction.from() as usize)? = Unknown;
        }
        STX => {}
        ALU32 | ALU64 => {
            let (a, b) = (*registers.get(to)?, second_operand(instruction, &registers)?);
            *registers.get_mut(to)? = computed(instruction, a, b);
        }
        // A call, of which only these registers know.
        _ => registers[..6].fill(Unknown),
    }
    Some(registers)
}

fn loaded(constants: &Constants, at: u64, load: Instruction) -> Value {
    let begin = at.wrapping_add_signed(load.offset.into()) as usize;
    let bytes = begin.checked_add(load.size()).and_then(|end| constants.bytes.get(begin..end));
    let mut word = [0; 8];
    bytes.map_or(Unknown, |bytes| {
        word[..bytes.len()].copy_from_slice(bytes);
        Number(u64::from_le_bytes(word))
    })
}

fn computed(instruction: Instruction, a: Value, b: Value) -> Value {
    let wide = instruction.class() == ALU64;
    let cut = |n: u64| Number(if wide { n } else { n as u32 as u64 });
    match (instruction.operation(), a, b) {
        // (With an offset, it extends a sign.)
        (MOV, _, _) if instruction.offset != 0 => Unknown,
        (MOV, _, Number(n)) => cut(n),
        (MOV, _, other) if wide => other,
        (AND, Number(0), _) | (AND, _, Number(0)) => Number(0),
        (ADD, Setting(at), Number(n)) if wide => Setting(at.wrapping_add(n)),
        (NEG, Number(a), _) => cut(a.wrapping_neg()),
        (operation, Number(a), Number(b)) => {
            let bits = if wide { 63 } else { 31 };
            let by = (b & bits) as u32;
            let narrow = if wide { a } else { a as u32 as u64 };
            match operation {
                ADD => cut(a.wrapping_add(b)),
                SUB => cut(a.wrapping_sub(b)),
                MUL => cut(a.wrapping_mul(b)),
                OR => cut(a | b),
                AND => cut(a & b),
                XOR => cut(a ^ b),
                LSH => cut(a << by),
                RSH => cut(narrow >> by),
                ARSH if wide => Number((a as i64 >> by) as u64),
                ARSH => cut((a as i32 >> by) as u32 as u64),
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}
