//! The functions in symbol tables.

use crate::elf::Elf;
use crate::elf::form::Section;
use crate::files::bytes::{string_at, u16_at, u32_at, u64_at};

/// Larger tables are ignored.
const LARGEST_TABLE: usize = 256 << 20;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;
const ENTRY: usize = 24;
/// Longer names are not looked at.
const LONGEST_NAME: usize = 4096;

#[derive(Debug)]
pub struct FunctionSymbol {
    /// As in the table, without a version.
    pub name: Box<str>,
    pub address: u64,
    /// The symbol stands for code that chooses the function (IFUNC).
    pub indirect: bool,
}

/// All functions that the file, or its separate debug information, names; and whether only exported ones are known.
pub fn functions(elf: &Elf, separate: Option<&Elf>) -> (Vec<FunctionSymbol>, bool) {
    let table = |elf: &Elf, kind| elf.sections.iter().find(|section| section.kind == kind).and_then(|s| read(elf, s));
    let exported = table(elf, SHT_DYNSYM).unwrap_or_default();
    let all = table(elf, SHT_SYMTAB).or_else(|| table(separate?, SHT_SYMTAB)).unwrap_or_default();
    let only = all.is_empty();
    (all.into_iter().chain(exported).collect(), only)
}

/// The names of functions that the file takes from others.
pub fn imported(elf: &Elf) -> Vec<Box<str>> {
    let read = || {
        let section = elf.sections.iter().find(|section| section.kind == SHT_DYNSYM)?;
        let entries = elf.bytes(section, LARGEST_TABLE)?;
        let names = elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?;
        let name = |entry: &[u8]| {
            let (name, section) = (u32_at(entry, 0)?, u16_at(entry, 6)?);
            std::str::from_utf8(string_at(&names, name as usize)).ok().filter(|_| section == 0).map(Into::into)
        };
        Some(entries.chunks_exact(ENTRY).filter_map(name).collect())
    };
    read().unwrap_or_default()
}

/// The names of the libraries that the loader loads for the file (DT_NEEDED).
pub fn needed(elf: &Elf) -> Vec<String> {
    const SHT_DYNAMIC: u32 = 6;
    const DT_NEEDED: u64 = 1;
    let read = || {
        let section = elf.sections.iter().find(|section| section.kind == SHT_DYNAMIC)?;
        let entries = elf.bytes(section, LARGEST_TABLE)?;
        let names = elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?;
        let name = |entry: &[u8]| {
            let at = u64_at(entry, 8).filter(|_| u64_at(entry, 0) == Some(DT_NEEDED))?;
            let name = string_at(&names, usize::try_from(at).ok()?);
            std::str::from_utf8(name)
                .ok()
                .filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME)
                .map(str::to_owned)
        };
        Some(entries.chunks_exact(16).filter_map(name).collect())
    };
    read().unwrap_or_default()
}

fn read(elf: &Elf, section: &Section) -> Option<Vec<FunctionSymbol>> {
    let entries = elf.bytes(section, LARGEST_TABLE)?;
    let names = elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?;
    Some(entries.chunks_exact(ENTRY).filter_map(|entry| symbol(entry, &names)).collect())
}

fn symbol(entry: &[u8], names: &[u8]) -> Option<FunctionSymbol> {
    let (name, info, section) = (u32_at(entry, 0)?, *entry.get(4)?, u16_at(entry, 6)?);
    let address = u64_at(entry, 8)?;
    let kind = info & 15;
    // Index 0 stands for symbols that other modules define.
    if !matches!(kind, STT_FUNC | STT_GNU_IFUNC) || section == 0 || address == 0 {
        return None;
    }
    let name = string_at(names, name as usize);
    let name = match name.iter().position(|&b| b == b'@') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    };
    let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME)?;
    Some(FunctionSymbol { name: name.into(), address, indirect: kind == STT_GNU_IFUNC })
}
