//! Instructions of x86-64.

use crate::isa::{Control, Isa, NamedAddress, Step, ValuePlace, ValueSource};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic,
    OpAccess, OpKind, Register,
};

pub struct X86;

const RAX: u8 = 0;
const RSP: u8 = 4;
/// A word of the stack, and of a call: the address to return to.
const WORD: i64 = 8;
/// The seventh argument of a function, by the System V ABI.
const SEVENTH: ValuePlace = ValuePlace::Memory { base: RSP, offset: WORD };
/// In the order of their numbers in instructions: rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11.
const CHANGED_BY_CALLS: [u8; 9] = [RAX, 1, 2, 6, 7, 8, 9, 10, 11];
/// Arguments are there by the System V ABI (rdi, rsi, rdx, rcx, r8, r9), and by Go's (rax, rbx, rcx, ...).
const ARGUMENTS: [u8; 8] = [RAX, 1, 2, 3, 6, 7, 8, 9];

impl Isa for X86 {
    type Instruction = Instruction;
    const NUMBER: ValuePlace = ValuePlace::Register(RAX);

    fn decode(code: &[u8], at: u64, fixed: bool, mut take: impl FnMut(Instruction, Step)) {
        let mut decoder = Decoder::with_ip(64, code, at, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let names = if instruction.is_ip_rel_memory_operand() {
                let address = instruction.ip_rel_memory_address();
                Some(if instruction.mnemonic() == Mnemonic::Lea {
                    NamedAddress::Address(address)
                } else {
                    NamedAddress::Word(address)
                })
            } else if fixed {
                fixed_address(&instruction).map(NamedAddress::Address)
            } else {
                None
            };
            let flow = flow(&instruction);
            take(instruction, Step { at: instruction.ip(), next: instruction.next_ip(), flow, names });
        }
    }

    fn source(instruction: &Instruction, place: ValuePlace) -> ValueSource {
        let (first, second) = (instruction.op0_kind(), instruction.op1_kind());
        if matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            // (The stack pointer is back when the function returns.)
            return if changed_by_calls(place) { ValueSource::Unknown } else { ValueSource::Untouched };
        }
        if let Some(source) = moved(instruction, place) {
            return source;
        }
        let writes = match place {
            ValuePlace::Register(_) => first == OpKind::Register && register(instruction.op0_register()) == Some(place),
            ValuePlace::Memory { .. } => first == OpKind::Memory && memory(instruction) == Some(place),
        };
        if writes && instruction.mnemonic() == Mnemonic::Mov {
            return match second {
                // A part of a register is no number of its own. (32 bits clear the rest.)
                _ if first == OpKind::Register && instruction.op0_register().size() < 4 => ValueSource::Unknown,
                OpKind::Register => {
                    register(instruction.op1_register()).map_or(ValueSource::Unknown, ValueSource::Copy)
                }
                OpKind::Memory => memory(instruction).map_or(ValueSource::Unknown, ValueSource::Copy),
                OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64 => {
                    ValueSource::Constant(instruction.immediate(1))
                }
                _ => ValueSource::Unknown,
            };
        }
        let both = first == OpKind::Register
            && second == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        if writes && both && matches!(instruction.mnemonic(), Mnemonic::Xor | Mnemonic::Sub) {
            return ValueSource::Constant(0);
        }
        // A number that is sign-extended or zero-extended is the same number.
        if writes && second == OpKind::Register && matches!(instruction.mnemonic(), Mnemonic::Movsxd | Mnemonic::Movzx)
        {
            return register(instruction.op1_register()).map_or(ValueSource::Unknown, ValueSource::Copy);
        }
        if changes(instruction, place) { ValueSource::Unknown } else { ValueSource::Untouched }
    }

    fn is_argument(place: ValuePlace) -> bool {
        place == SEVENTH || matches!(place, ValuePlace::Register(register) if ARGUMENTS.contains(&register))
    }

    fn before_call(argument: ValuePlace) -> ValuePlace {
        match argument {
            ValuePlace::Memory { base: RSP, offset } => ValuePlace::Memory { base: RSP, offset: offset - WORD },
            other => other,
        }
    }
}

/// The source of a place, if the instruction moves the register by which the word is found: pushes and pops, room on the stack, a pointer to the frame. `None` for all other
/// instructions.
fn moved(instruction: &Instruction, place: ValuePlace) -> Option<ValueSource> {
    let word = |base, offset| match base {
        // Nothing was there yet. (It was written through another register, such as one that points to the frame.)
        RSP if offset < 0 => Some(ValueSource::Unknown),
        _ => Some(ValueSource::Copy(ValuePlace::Memory { base, offset })),
    };
    let operand = || match instruction.op0_kind() {
        OpKind::Register => register(instruction.op0_register()),
        OpKind::Memory => memory(instruction),
        _ => None,
    };
    let is_wide = |register: Register| register.size() == 8;
    let ValuePlace::Memory { base, offset } = place else {
        let is_popped = instruction.mnemonic() == Mnemonic::Pop && operand() == Some(place);
        return if is_popped { word(RSP, 0) } else { None };
    };
    let writes_base = instruction.op0_kind() == OpKind::Register
        && is_wide(instruction.op0_register())
        && register(instruction.op0_register()) == Some(ValuePlace::Register(base));
    match instruction.mnemonic() {
        Mnemonic::Push if base == RSP && offset == 0 => Some(match instruction.op0_kind() {
            OpKind::Register | OpKind::Memory => operand().map_or(ValueSource::Unknown, ValueSource::Copy),
            _ => ValueSource::Constant(instruction.immediate(0)),
        }),
        Mnemonic::Push if base == RSP => word(RSP, offset - WORD),
        Mnemonic::Pop if base == RSP && !writes_base => word(RSP, offset + WORD),
        Mnemonic::Sub | Mnemonic::Add if base == RSP && writes_base && is_immediate(instruction.op1_kind()) => {
            let by = instruction.immediate(1) as i64;
            word(
                RSP,
                if instruction.mnemonic() == Mnemonic::Sub { offset.wrapping_sub(by) } else { offset.wrapping_add(by) },
            )
        }
        Mnemonic::Mov if writes_base && instruction.op1_kind() == OpKind::Register => {
            match register(instruction.op1_register()) {
                Some(ValuePlace::Register(from)) if is_wide(instruction.op1_register()) => word(from, offset),
                _ => None,
            }
        }
        Mnemonic::Lea if writes_base => match memory(instruction) {
            Some(ValuePlace::Memory { base, offset: from }) => word(base, from.wrapping_add(offset)),
            _ => None,
        },
        _ => None,
    }
}

fn is_immediate(kind: OpKind) -> bool {
    matches!(kind, OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64)
}

fn flow(instruction: &Instruction) -> Control {
    let target = || (instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch64());
    match instruction.flow_control() {
        _ if instruction.mnemonic() == Mnemonic::Syscall => Control::Syscall,
        FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => Control::Jump(target()),
        FlowControl::ConditionalBranch => target().map_or(Control::Next, Control::Branch),
        FlowControl::Call | FlowControl::IndirectCall => Control::Call(target()),
        FlowControl::Return | FlowControl::Exception => Control::Stop,
        FlowControl::Interrupt if instruction.mnemonic() == Mnemonic::Int3 => Control::Nothing,
        _ if instruction.is_invalid() || instruction.mnemonic() == Mnemonic::Hlt => Control::Stop,
        _ if instruction.mnemonic() == Mnemonic::Nop => Control::Nothing,
        _ => Control::Next,
    }
}

/// A number that may be an address in code that stays at its place.
fn fixed_address(instruction: &Instruction) -> Option<u64> {
    let kinds = (0..instruction.op_count()).map(|operand| (operand, instruction.op_kind(operand)));
    for (operand, kind) in kinds {
        match kind {
            OpKind::Immediate32 | OpKind::Immediate64 | OpKind::Immediate32to64 => {
                return Some(instruction.immediate(operand));
            }
            OpKind::Memory if instruction.memory_base() == Register::None => {
                return Some(instruction.memory_displacement64());
            }
            _ => {}
        }
    }
    None
}

fn register(register: Register) -> Option<ValuePlace> {
    register.is_gpr().then(|| ValuePlace::Register(register.full_register().number() as u8))
}

/// A word at a fixed distance from a register.
fn memory(instruction: &Instruction) -> Option<ValuePlace> {
    if instruction.memory_index() != Register::None {
        return None;
    }
    let ValuePlace::Register(base) = register(instruction.memory_base())? else { return None };
    Some(ValuePlace::Memory { base, offset: instruction.memory_displacement64() as i64 })
}

fn changed_by_calls(place: ValuePlace) -> bool {
    matches!(place, ValuePlace::Register(register) if CHANGED_BY_CALLS.contains(&register))
}

/// True if the instruction writes the place in another way than by copying.
fn changes(instruction: &Instruction, place: ValuePlace) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info_options(instruction, InstructionInfoOptions::NO_MEMORY_USAGE);
    let is_written = |access: OpAccess| {
        matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
    };
    let wrote = |number: u8| {
        info.used_registers()
            .iter()
            .any(|used| is_written(used.access()) && register(used.register()) == Some(ValuePlace::Register(number)))
    };
    match place {
        ValuePlace::Register(number) => wrote(number),
        // The base is another one, by an instruction that is not followed: then the distance names another word.
        ValuePlace::Memory { base, .. } => {
            wrote(base)
                || instruction.op0_kind() == OpKind::Memory
                    && memory(instruction) == Some(place)
                    && is_written(info.op0_access())
        }
    }
}
