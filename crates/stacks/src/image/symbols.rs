//! The functions of a module: its symbol tables.

use crate::elf::Elf;
use crate::elf::form::{Section, SymbolEntry};
use crate::files::bytes::string_at;
use std::cmp::Reverse;
use std::ops::Range;

/// Larger tables are ignored.
const LARGEST_TABLE: usize = 256 << 20;
const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;
const STT_NOTYPE: u8 = 0;
const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;
const STB_LOCAL: u8 = 0;

/// Functions by their addresses.
#[derive(Debug, Default)]
pub struct Symbols {
    entries: Vec<Entry>,
    names: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    address: u64,
    /// 0 for assembly code that does not say where it ends.
    size: u64,
    name: u32,
    local: bool,
}

impl Symbols {
    /// Loads the symbols of the file itself, or of its debug file.
    pub fn load(elf: &Elf) -> Symbols {
        let of = |kind| elf.sections.iter().find(|section| section.kind == kind);
        // The full table includes the dynamic one.
        let mut symbols =
            of(SHT_SYMTAB).or_else(|| of(SHT_DYNSYM)).and_then(|s| Symbols::table(elf, s)).unwrap_or_default();
        symbols.sort();
        symbols
    }

    fn table(elf: &Elf, section: &Section) -> Option<Symbols> {
        let entries = elf.bytes(section, LARGEST_TABLE)?;
        let names = elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?;
        let entries =
            entries.chunks_exact(elf.form.symbol).filter_map(|bytes| entry(&elf.form.symbol(bytes)?)).collect();
        Some(Symbols { entries, names })
    }

    /// Sorts by address. Of several names for one address, the one to show comes last.
    fn sort(&mut self) {
        let Symbols { entries, names } = self;
        let rank = |e: &Entry| {
            let name = plain(string_at(names, e.name as usize));
            let underscores = name.iter().take_while(|&&b| b == b'_').count();
            (e.size != 0, !e.local, Reverse(underscores), Reverse(name.len()), name)
        };
        entries.sort_unstable_by(|a, b| a.address.cmp(&b.address).then_with(|| rank(a).cmp(&rank(b))));
        entries.shrink_to_fit();
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        self.names.len() + self.entries.len() * size_of::<Entry>()
    }

    /// The addresses of a function with this name.
    pub fn named(&self, name: &str) -> Option<Range<u64>> {
        let is_named = |e: &&Entry| plain(string_at(&self.names, e.name as usize)) == name.as_bytes();
        self.entries.iter().find(is_named).map(|e| e.address..e.address.saturating_add(e.size))
    }

    /// The function at an address: its mangled name, and its start.
    pub fn find(&self, address: u64) -> Option<(&[u8], u64)> {
        let behind = self.entries.partition_point(|e| e.address <= address);
        let before = &self.entries[..behind];
        let nearest = before.last()?.address;
        // A label inside a function may come before the address. Real files nest no deeper than this.
        let covering = before.iter().rev().take(MOST_NESTED).find(|e| address - e.address < e.size);
        let found = covering.or_else(|| before.last().filter(|e| e.size == 0 && e.address == nearest))?;
        let name = plain(string_at(&self.names, found.name as usize));
        (!name.is_empty()).then_some((name, found.address))
    }
}

const MOST_NESTED: usize = 64;

/// The name without its version (`name@GLIBC_2.2.5`).
fn plain(name: &[u8]) -> &[u8] {
    match name.iter().position(|&b| b == b'@') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

fn entry(symbol: &SymbolEntry) -> Option<Entry> {
    let &SymbolEntry { name, address, size, info, section } = symbol;
    let kind = info & 15;
    // Index 0 stands for symbols that other modules define.
    (matches!(kind, STT_FUNC | STT_GNU_IFUNC | STT_NOTYPE) && section != 0 && name != 0).then_some(Entry {
        address,
        size,
        name,
        local: info >> 4 == STB_LOCAL,
    })
}
