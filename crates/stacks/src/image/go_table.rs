//! `.gopclntab`, the table that Go's runtime unwinds and names functions with. It stays in programs without symbol
//! table and DWARF (`-ldflags "-s -w"`). The layout is that of Go 1.18 and later.
//!
//! Functions are listed by their distance from the start of Go's code. Programs before Go 1.26 have that start in the
//! table. Later ones have it in the runtime's own description of the module, which is found by its first word: the
//! address of the table. Where the start is not certain, the table is not used, because all names would be wrong.

use crate::elf::Elf;
use crate::elf::form::Section;
use crate::files::bytes::{string_at, u32_at, u64_at};
use crate::unwind::cfi::{Cfa, FrameRule, RegisterPlace, UnwindRule};
use crate::unwind::registers::{MOST_SAVED, Registers};
use std::rc::Rc;
use stride_event::CodeKind;

/// Larger tables are ignored. That of Kubernetes has some 20 MiB.
const LARGEST_TABLE: usize = 128 << 20;
/// A larger section is not searched for the description of the module.
const LARGEST_SEARCHED: usize = 64 << 20;
/// A function has fewer changes of its stack pointer. A damaged table could go on for ever.
const MOST_STEPS: usize = 1 << 16;
const GO_1_18: u32 = 0xffff_fff0;
const GO_1_20: u32 = 0xffff_fff1;
/// The positions in the description of the module: the first address of a function, and the start of Go's code.
const FIRST_FUNCTION: usize = 160;
const TEXT: usize = 176;
/// Flags of functions: nothing called it; its assembly code changes the stack pointer in ways that the table does not
/// tell.
const TOP_FRAME: u8 = 1;
const WRITES_SP: u8 = 2;
const SHF_WRITE: u64 = 1;

#[derive(Debug)]
pub struct GoTable {
    bytes: Vec<u8>,
    /// The start of Go's code.
    text: u64,
    functions: usize,
    /// Where the parts of the table begin.
    names: usize,
    values: usize,
    index: usize,
    /// The position of the flags in a function's entry.
    flags: usize,
}

struct Function {
    start: u64,
    /// The position of the function's entry.
    entry: usize,
}

impl GoTable {
    pub fn load(elf: &Elf) -> Option<GoTable> {
        let section = [&b".gopclntab"[..], b".data.rel.ro.gopclntab"].iter().find_map(|name| elf.section(name))?;
        let bytes = elf.bytes(section, LARGEST_TABLE)?;
        let mut table = GoTable::parse(bytes)?;
        if table.text == 0 {
            table.text = table.described_start(elf, section.address).or_else(|| table.only_start(elf))?;
        }
        Some(table)
    }

    /// The table, with the start of the code if it is there.
    fn parse(bytes: Vec<u8>) -> Option<GoTable> {
        let magic = u32_at(&bytes, 0)?;
        // Two zeros, instructions of any length, and addresses of 8 bytes.
        if !matches!(magic, GO_1_18 | GO_1_20) || bytes.get(4..8)? != [0, 0, 1, 8] {
            return None;
        }
        let word = |i: usize| u64_at(&bytes, 8 + 8 * i);
        let place = |i: usize| usize::try_from(word(i)?).ok();
        let table = GoTable {
            functions: place(0)?,
            text: word(2)?,
            names: place(3)?,
            values: place(6)?,
            index: place(7)?,
            flags: if magic == GO_1_20 { 41 } else { 37 },
            bytes,
        };
        // The index has 8 bytes for each function, and then the end of the last one.
        table.offset(table.functions)?;
        Some(table)
    }

    /// The start of Go's code as the description of the module has it.
    fn described_start(&self, elf: &Elf, table_at: u64) -> Option<u64> {
        let first = u64::from(self.offset(0)?);
        let in_section = |section: &Section| {
            let content = elf.bytes(section, LARGEST_SEARCHED)?;
            let found = content.chunks_exact(8).enumerate().filter(|(_, word)| *word == table_at.to_le_bytes());
            found.map(|(i, _)| 8 * i).find_map(|at| {
                let text = u64_at(&content, at + TEXT)?;
                (u64_at(&content, at + FIRST_FUNCTION)? == text.checked_add(first)?).then_some(text)
            })
        };
        elf.sections.iter().filter(|section| section.flags & SHF_WRITE != 0).find_map(in_section)
    }

    /// Position-independent programs have addresses only when they are loaded. But if all code is Go's, it begins where
    /// the section does.
    fn only_start(&self, elf: &Elf) -> Option<u64> {
        let section = elf.section(b".text")?;
        let end = u64::from(self.offset(self.functions)?);
        (section.size == end).then_some(section.address)
    }

    /// The distance of function `i` from the start; for the number of functions, that of the end of the last one.
    fn offset(&self, i: usize) -> Option<u32> {
        u32_at(&self.bytes, self.index.checked_add(i.checked_mul(8)?)?)
    }

    fn function(&self, address: u64) -> Option<Function> {
        let wanted = u32::try_from(address.checked_sub(self.text)?).ok()?;
        if wanted >= self.offset(self.functions)? {
            return None;
        }
        let (mut low, mut high) = (0, self.functions);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.offset(middle)? <= wanted { low = middle + 1 } else { high = middle }
        }
        let i = low.checked_sub(1)?;
        let entry = u32_at(&self.bytes, self.index.checked_add(i.checked_mul(8)?)?.checked_add(4)?)?;
        let start = self.text.checked_add(self.offset(i)?.into())?;
        Some(Function { start, entry: self.index.checked_add(entry as usize)? })
    }

    fn field(&self, function: &Function, at: usize) -> Option<u32> {
        u32_at(&self.bytes, function.entry.checked_add(at)?)
    }

    /// The function at an address: its name and its start.
    pub fn find(&self, address: u64) -> Option<(&[u8], u64)> {
        let function = self.function(address)?;
        let name = self.name(&function)?;
        (!name.is_empty()).then_some((name, function.start))
    }

    fn name(&self, function: &Function) -> Option<&[u8]> {
        Some(string_at(&self.bytes, self.names.checked_add(self.field(function, 4)? as usize)?))
    }

    pub fn rule(&self, address: u64) -> UnwindRule {
        self.find_rule(address).unwrap_or(UnwindRule::Unknown)
    }

    fn find_rule(&self, address: u64) -> Option<UnwindRule> {
        let function = self.function(address)?;
        let flags = *self.bytes.get(function.entry.checked_add(self.flags)?)?;
        if flags & TOP_FRAME != 0 {
            return Some(UnwindRule::Bottom);
        }
        if self.name(&function).is_some_and(is_systemstack) {
            return Some(UnwindRule::OtherStack);
        }
        if flags & WRITES_SP != 0 {
            return None;
        }
        let size = i64::from(self.value(self.field(&function, 16)?, function.start, address)?);
        if size < 0 || size % 8 != 0 {
            return None;
        }
        let mut saved = [const { RegisterPlace::Same }; MOST_SAVED];
        let registers = Registers::of(CodeKind::X86_64);
        // A function with a frame saves the frame pointer below its return address.
        if let Some(slot) = registers.saved.iter().position(|&register| register == registers.bp).filter(|_| size > 0) {
            saved[slot] = RegisterPlace::Memory(-16);
        }
        let cfa = Cfa::Offset { register: registers.sp, offset: size + 8 };
        Some(UnwindRule::Frame(Rc::new(FrameRule { cfa, return_address: RegisterPlace::Memory(-8), saved })))
    }

    /// The value that a table has for an address. The table has pairs of numbers: by how much the value changes, and
    /// for how many bytes of code it holds then.
    fn value(&self, table: u32, start: u64, address: u64) -> Option<i32> {
        if table == 0 {
            return None;
        }
        let mut rest = self.bytes.get(self.values.checked_add(table as usize)?..)?;
        let (mut value, mut at) = (-1i32, start);
        for step in 0..MOST_STEPS {
            let change = number(&mut rest)?;
            if change == 0 && step > 0 {
                return None;
            }
            value = value.wrapping_add((change >> 1) as i32 ^ -((change & 1) as i32));
            at = at.checked_add(u64::from(number(&mut rest)?))?;
            if address < at {
                return Some(value);
            }
        }
        None
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// The function that changes from a goroutine's stack to that of its thread, and calls another one there.
fn is_systemstack(name: &[u8]) -> bool {
    matches!(name, b"runtime.systemstack" | b"runtime.systemstack.abi0")
}

/// The next number, of seven bits a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
pub mod tests {
    use super::*;

    const START: u64 = 0x40_1000;

    /// A table with two functions: `main.main` without a frame, which nothing calls, and `main.go` with one of 24
    /// bytes.
    pub fn table() -> Vec<u8> {
        const NAMES: u64 = 72;
        const VALUES: u64 = NAMES + 24;
        const INDEX: u64 = VALUES + 16;
        let mut bytes = Vec::new();
        bytes.extend(GO_1_20.to_le_bytes());
        bytes.extend([0, 0, 1, 8]);
        // Functions, files, start, names, units, files, values, index.
        [2, 0, START, NAMES, 0, 0, VALUES, INDEX].map(u64::to_le_bytes).iter().for_each(|word| bytes.extend(word));
        bytes.extend(b"\0main.main\0main.go\0.....");
        // At 1: 0 all the time. At 4: 0 for 4 bytes, and 24 for 300.
        bytes.extend([0, 2, 0x40, 0, 2, 4, 48, 0xac, 2, 0, 0, 0, 0, 0, 0, 0]);
        let entries = 2 * 8 + 8;
        [0, entries, 0x40, entries + 44, 0x40 + 304, 0]
            .map(u32::to_le_bytes)
            .iter()
            .for_each(|word| bytes.extend(word));
        for (start, name, values, flags) in [(0u32, 1u32, 1u32, TOP_FRAME), (0x40, 11, 4, 0)] {
            [start, name, 0, 0, values, 0, 0, 0, 0, 0].map(u32::to_le_bytes).iter().for_each(|word| bytes.extend(word));
            bytes.extend([0, flags, 0, 0]);
        }
        bytes
    }

    fn frame_size(rule: UnwindRule) -> Option<i64> {
        let UnwindRule::Frame(rule) = rule else { return None };
        let Cfa::Offset { register: 7, offset } = rule.cfa else { return None };
        Some(offset - 8)
    }

    #[test]
    fn names_and_frames() {
        let table = GoTable::parse(table()).unwrap();
        let name = |address| table.find(address).map(|(name, start)| (str::from_utf8(name).unwrap(), start));
        assert_eq!(name(START), Some(("main.main", START)));
        assert_eq!(name(START + 0x3f), Some(("main.main", START)));
        assert_eq!(name(START + 0x40), Some(("main.go", START + 0x40)));
        assert_eq!(name(START - 1), None);
        assert_eq!(name(START + 0x40 + 304), None);
        assert!(matches!(table.rule(START + 5), UnwindRule::Bottom));
        assert_eq!(frame_size(table.rule(START + 0x43)), Some(0));
        assert_eq!(frame_size(table.rule(START + 0x44)), Some(24));
        assert_eq!(frame_size(table.rule(START + 0x40 + 303)), Some(24));
        assert!(matches!(table.rule(START + 0x40 + 304), UnwindRule::Unknown));
    }

    /// Every byte in turn has other values, and the table is cut at every place.
    #[test]
    fn damaged_tables() {
        let whole = table();
        let look = |bytes: Vec<u8>| {
            if let Some(table) = GoTable::parse(bytes) {
                for address in [0, START, START + 0x50, START + 0x16f, u64::MAX] {
                    table.find(address);
                    table.rule(address);
                }
            }
        };
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                look(bytes);
            }
            look(whole[..at].to_vec());
        }
    }
}
