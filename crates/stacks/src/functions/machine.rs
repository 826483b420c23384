//! Where the calling convention puts arguments: registers by their offsets in the kernel's `struct pt_regs`.

use stride_event::{LIBRARY_WORDS, ProbedWord, WordPlace};
use stride_syscalls::library::WordType;
use stride_syscalls::{Abi, MachineRegisters};

const OWN: &MachineRegisters = &Abi::NATIVE.facts().registers;
pub const ELF_MACHINE: u16 = Abi::NATIVE.facts().elf_machine;

pub fn registers() -> &'static [u16] {
    OWN.arguments
}

pub fn go_registers() -> &'static [u16] {
    OWN.go_arguments
}

pub fn whole(register: u16) -> ProbedWord {
    ProbedWord { place: WordPlace::Register(register), bytes: 8, signed: false }
}

/// Where arguments of these types are. Those behind the last that can be read are left out.
pub fn places(types: impl Iterator<Item = WordType>) -> Vec<ProbedWord> {
    let mut used = 0;
    let place = |ty: WordType| {
        let (bytes, signed) = ty.width();
        // In a register of another kind.
        if matches!(ty, WordType::Unreadable | WordType::Void) {
            return ProbedWord { place: WordPlace::Constant(0), bytes, signed };
        }
        let behind = |n: usize| i64::from(OWN.return_address) + 8 * n as i64;
        let in_memory = |n: usize| WordPlace::Memory(OWN.stack_pointer, behind(n));
        let place = match OWN.arguments.get(used) {
            Some(&register) => WordPlace::Register(register),
            None => in_memory(used - OWN.arguments.len()),
        };
        used += 1;
        ProbedWord { place, bytes, signed }
    };
    types.take(LIBRARY_WORDS).map(place).collect()
}

/// A register by its name in assembly code, with the number of bytes that this name stands for.
pub fn register(name: &str) -> Option<(u16, u8)> {
    OWN.names.iter().find_map(|(at, names)| {
        let narrower = names.iter().position(|known| *known == name)?;
        Some((*at, 8 >> narrower))
    })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn registers_by_name() {
        for (name, expected) in [
            ("rax", Some((80, 8))),
            ("eax", Some((80, 4))),
            ("ax", Some((80, 2))),
            ("al", Some((80, 1))),
            ("dil", Some((112, 1))),
            ("r8", Some((72, 8))),
            ("r15d", Some((0, 4))),
            ("r10w", Some((56, 2))),
            ("rsp", Some((152, 8))),
            ("xmm0", None),
            ("r16", None),
            ("", None),
        ] {
            assert_eq!(register(name), expected, "{name}");
        }
    }

    #[test]
    fn arguments_behind_the_sixth_are_on_the_stack() {
        let int = WordType::Int { bytes: 4, signed: true };
        let all = places([int, WordType::Unreadable, int, int, int, int, int, int, int].into_iter());
        assert_eq!(all[1].place, WordPlace::Constant(0));
        assert_eq!(all[6].place, WordPlace::Register(64));
        assert_eq!((all[7].place, all[8].place), (WordPlace::Memory(152, 8), WordPlace::Memory(152, 16)));
    }
}
