//! Where the calling convention puts arguments: registers by their offsets in the kernel's `struct pt_regs`.

use stride_event::{LIBRARY_WORDS, ProbedWord, WordPlace};
use stride_syscalls::library::WordType;

#[cfg(target_arch = "x86_64")]
mod own {
    /// `EM_X86_64`.
    pub const ELF_MACHINE: u16 = 62;
    /// rdi, rsi, rdx, rcx, r8, r9 (System V ABI).
    pub const ARGUMENTS: &[u16] = &[112, 104, 96, 88, 72, 64];
    /// rax, rbx, rcx (Go's internal ABI).
    pub const GO_ARGUMENTS: &[u16] = &[80, 40, 88];
    pub const STACK_POINTER: u16 = 152;
    /// Behind the return address.
    pub const FIRST_ON_STACK: i64 = 8;
}

#[cfg(target_arch = "aarch64")]
mod own {
    /// `EM_AARCH64`.
    pub const ELF_MACHINE: u16 = 183;
    pub const ARGUMENTS: &[u16] = &[0, 8, 16, 24, 32, 40, 48, 56];
    pub const GO_ARGUMENTS: &[u16] = &[0, 8, 16];
    pub const STACK_POINTER: u16 = 248;
    pub const FIRST_ON_STACK: i64 = 0;
}

pub use own::ELF_MACHINE;

pub fn registers() -> &'static [u16] {
    own::ARGUMENTS
}

pub fn go_registers() -> &'static [u16] {
    own::GO_ARGUMENTS
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
        let behind = |n: usize| own::FIRST_ON_STACK + 8 * n as i64;
        let in_memory = |n: usize| WordPlace::Memory(own::STACK_POINTER, behind(n));
        let place = match own::ARGUMENTS.get(used) {
            Some(&register) => WordPlace::Register(register),
            None => in_memory(used - own::ARGUMENTS.len()),
        };
        used += 1;
        ProbedWord { place, bytes, signed }
    };
    types.take(LIBRARY_WORDS).map(place).collect()
}

/// A register by its name in assembly code, with the number of bytes that this name stands for.
#[cfg(target_arch = "x86_64")]
pub fn register(name: &str) -> Option<(u16, u8)> {
    const OLD: [(&str, u16); 8] =
        [("ax", 80), ("bx", 40), ("cx", 88), ("dx", 96), ("si", 104), ("di", 112), ("bp", 32), ("sp", 152)];
    const NEW: [(&str, u16); 8] =
        [("r8", 72), ("r9", 64), ("r10", 56), ("r11", 48), ("r12", 24), ("r13", 16), ("r14", 8), ("r15", 0)];
    let old = |name: &str| OLD.iter().find(|(known, _)| *known == name).map(|(_, at)| *at);
    if name == "rip" {
        return Some((128, 8));
    }
    if let Some((known, at)) = NEW.iter().rev().find(|(known, _)| name.starts_with(known)) {
        return match &name[known.len()..] {
            "" => Some((*at, 8)),
            "d" => Some((*at, 4)),
            "w" => Some((*at, 2)),
            "b" => Some((*at, 1)),
            _ => None,
        };
    }
    if let Some(at) = name.strip_prefix('r').and_then(old) {
        return Some((at, 8));
    }
    if let Some(at) = name.strip_prefix('e').and_then(old) {
        return Some((at, 4));
    }
    if let Some(at) = old(name) {
        return Some((at, 2));
    }
    // al, sil, dil, bpl, spl.
    let low = name.strip_suffix('l')?;
    let long = if low.len() == 1 { format!("{low}x") } else { low.to_owned() };
    old(&long).map(|at| (at, 1))
}

/// `x0` to `x30`, `w0` to `w30` and `sp`.
#[cfg(target_arch = "aarch64")]
pub fn register(name: &str) -> Option<(u16, u8)> {
    if name == "sp" {
        return Some((own::STACK_POINTER, 8));
    }
    let (kind, number) = name.split_at_checked(1)?;
    let number: u16 = number.parse().ok().filter(|n| *n <= 30)?;
    let bytes = match kind {
        "x" => 8,
        "w" => 4,
        _ => return None,
    };
    Some((number * 8, bytes))
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
