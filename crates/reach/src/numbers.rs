//! The numbers of calls, looked for backwards from the instructions that make them.

use crate::isa::{Control, Isa, Step, ValuePlace, ValueSource};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The steps of one search. A function with more of them is not understood.
const MOST_STEPS: usize = 20_000;

/// The values that a place may have.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Values {
    pub constants: BTreeSet<u64>,
    /// Arguments of the function: the value is one of these.
    pub arguments: Vec<ValuePlace>,
    /// Other values, which are not known.
    pub unknown: bool,
}

/// The instructions of one function.
pub struct FunctionBody<I: Isa> {
    steps: Vec<(I::Instruction, Step)>,
    /// The places of instructions that jump to an instruction.
    jumps: FxHashMap<u64, Vec<usize>>,
}

impl<I: Isa> FunctionBody<I> {
    pub fn of(code: &[u8], at: u64) -> FunctionBody<I> {
        let mut steps = Vec::new();
        I::decode(code, at, false, |instruction, step| steps.push((instruction, step)));
        let mut jumps: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (place, (_, step)) in steps.iter().enumerate() {
            if let Control::Jump(Some(to)) | Control::Branch(to) = step.flow {
                jumps.entry(to).or_default().push(place);
            }
        }
        FunctionBody { steps, jumps }
    }

    pub fn steps(&self) -> impl Iterator<Item = (usize, &Step)> {
        self.steps.iter().map(|(_, step)| step).enumerate()
    }

    /// The values of a place before an instruction. `steps_left`: those of all searches.
    pub fn values(&self, before: usize, place: ValuePlace, steps_left: &mut u64) -> Values {
        let mut values = Values::default();
        let mut seen = FxHashSet::default();
        let mut open = vec![(before, place)];
        while let Some((before, place)) = open.pop() {
            if !seen.insert((before, place)) {
                continue;
            }
            *steps_left = steps_left.saturating_sub(1);
            if seen.len() > MOST_STEPS || *steps_left == 0 {
                values.unknown = true;
                break;
            }
            let mut came_from = 0;
            let mut go_on = |from: usize, open: &mut Vec<(usize, ValuePlace)>| {
                came_from += 1;
                match I::source(&self.steps[from].0, place) {
                    ValueSource::Untouched => open.push((from, place)),
                    ValueSource::Constant(number) => _ = values.constants.insert(number),
                    ValueSource::Copy(other) => open.push((from, other)),
                    ValueSource::Unknown => values.unknown = true,
                }
            };
            for &from in self.jumps.get(&self.steps[before].1.at).into_iter().flatten() {
                go_on(from, &mut open);
            }
            if let Some(from) = before.checked_sub(1)
                && !matches!(self.steps[from].1.flow, Control::Jump(_) | Control::Stop)
            {
                go_on(from, &mut open);
            }
            if before == 0 && I::is_argument(place) {
                if !values.arguments.contains(&place) {
                    values.arguments.push(place);
                }
            } else if came_from == 0 && self.steps[before].1.flow != Control::Nothing {
                // The beginning, with something that is no argument, or a place to which a table leads. (Padding behind a jump is no place at all.)
                values.unknown = true;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm64::Arm64;
    use crate::x86::X86;

    /// The values of the number at the only system call of this code.
    fn number<I: Isa>(code: &[u8]) -> Values {
        let body = FunctionBody::<I>::of(code, 0x1000);
        let calls: Vec<usize> =
            body.steps().filter(|(_, step)| step.flow == Control::Syscall).map(|(place, _)| place).collect();
        assert_eq!(calls.len(), 1);
        body.values(calls[0], I::NUMBER, &mut 100)
    }

    fn constants(numbers: &[u64]) -> Values {
        Values { constants: numbers.iter().copied().collect(), ..Values::default() }
    }

    fn argument(register: u8) -> Values {
        Values { arguments: vec![ValuePlace::Register(register)], ..Values::default() }
    }

    #[test]
    fn numbers_in_x86_64() {
        // mov eax, 39; syscall
        assert_eq!(number::<X86>(b"\xb8\x27\0\0\0\x0f\x05"), constants(&[39]));
        // xor eax, eax; mov ecx, 7; syscall
        assert_eq!(number::<X86>(b"\x31\xc0\xb9\x07\0\0\0\x0f\x05"), constants(&[0]));
        // mov eax, 3; test edi, edi; je 1f; mov eax, 4; 1: syscall
        assert_eq!(number::<X86>(b"\xb8\x03\0\0\0\x85\xff\x74\x05\xb8\x04\0\0\0\x0f\x05"), constants(&[3, 4]));
        // mov rax, rdi; mov rdi, rsi; syscall
        assert_eq!(number::<X86>(b"\x48\x89\xf8\x48\x89\xf7\x0f\x05"), argument(7));
        // mov [rsp+8], rdi; call +0; mov rax, [rsp+8]; syscall
        assert_eq!(number::<X86>(b"\x48\x89\x7c\x24\x08\xe8\0\0\0\0\x48\x8b\x44\x24\x08\x0f\x05"), argument(7));
        // A call changes rax, and a pop changes where a word is.
        for code in
            [&b"\xb8\x27\0\0\0\xe8\0\0\0\0\x0f\x05"[..], b"\x48\x89\x7c\x24\x08\x5b\x48\x8b\x44\x24\x08\x0f\x05"]
        {
            assert_eq!(number::<X86>(code), Values { unknown: true, ..Values::default() });
        }
        // mov [rsp+8], rdi; push rbx; sub rsp, 16; mov rax, [rsp+32]; syscall
        assert_eq!(number::<X86>(b"\x48\x89\x7c\x24\x08\x53\x48\x83\xec\x10\x48\x8b\x44\x24\x20\x0f\x05"), argument(7));
        // push 61; pop rax; syscall
        assert_eq!(number::<X86>(b"\x6a\x3d\x58\x0f\x05"), constants(&[61]));
        // push rbx; sub rsp, 16; mov rax, [rsp+32]; syscall: the seventh argument
        let seventh = Values { arguments: vec![ValuePlace::Memory { base: 4, offset: 8 }], ..Values::default() };
        assert_eq!(number::<X86>(b"\x53\x48\x83\xec\x10\x48\x8b\x44\x24\x20\x0f\x05"), seventh);
        // push rbp; mov rbp, rsp; sub rsp, 16; mov rax, [rbp+16]; syscall
        let code = b"\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x8b\x45\x10\x0f\x05";
        assert_eq!(
            number::<X86>(code),
            Values { arguments: vec![ValuePlace::Memory { base: 4, offset: 8 }], ..Values::default() }
        );
        // mov [rsp-8], rdi; mov rax, [rsp-8]; syscall: a function that calls no other one may use words below its stack
        assert_eq!(number::<X86>(b"\x48\x89\x7c\x24\xf8\x48\x8b\x44\x24\xf8\x0f\x05"), argument(7));
        // sub rsp, 16; mov rax, [rsp]; syscall: nothing was written there
        assert!(number::<X86>(b"\x48\x83\xec\x10\x48\x8b\x04\x24\x0f\x05").unknown);
        // mov al, 39; syscall: a part of the number
        assert!(number::<X86>(b"\xb0\x27\x0f\x05").unknown);
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn numbers_in_aarch64() {
        // mov x8, #172; svc #0
        assert_eq!(number::<Arm64>(&words(&[0xd280_1588, 0xd400_0001])), constants(&[172]));
        // mov w8, w0; mov x0, x1; svc #0
        assert_eq!(number::<Arm64>(&words(&[0x2a00_03e8, 0xaa01_03e0, 0xd400_0001])), argument(0));
        // mov x8, #3; cbz x0, 1f; mov x8, #4; 1: svc #0
        assert_eq!(number::<Arm64>(&words(&[0xd280_0068, 0xb400_0040, 0xd280_0088, 0xd400_0001])), constants(&[3, 4]));
        // str x0, [sp, #8]; bl .+4; ldr x8, [sp, #8]; svc #0
        assert_eq!(number::<Arm64>(&words(&[0xf900_07e0, 0x9400_0001, 0xf940_07e8, 0xd400_0001])), argument(0));
        // mov x8, #3; bl .+4; svc #0
        assert!(number::<Arm64>(&words(&[0xd280_0068, 0x9400_0001, 0xd400_0001])).unknown);
    }
}
