//! The symbols that a file exports, found by their names in its hash table (`.gnu.hash`), as the dynamic linker finds them. Reading all of them takes long: Node exports
//! 75,000.

use crate::elf::Elf;
use crate::elf::form::{Section, SymbolEntry};
use crate::files::bytes::u32_at;

/// Larger tables are not believed.
const LARGEST_TABLE: usize = 64 << 20;
const SHT_GNU_HASH: u32 = 0x6fff_fff6;
/// Names with the same hash are looked through so far.
const MOST_TRIES: usize = 1 << 12;

pub struct Exported<'e> {
    elf: &'e Elf,
    table: Vec<u8>,
    symbols: &'e Section,
    names: &'e Section,
    /// The number of buckets, and where they begin.
    buckets: (u32, usize),
    /// The index of the first symbol in the table, and where the hashes of symbols begin.
    first: u32,
    hashes: usize,
}

impl Exported<'_> {
    /// The exported symbols of a file that has such a table.
    pub fn of(elf: &Elf) -> Option<Exported<'_>> {
        let section = elf.sections.iter().find(|section| section.kind == SHT_GNU_HASH)?;
        let symbols = elf.sections.get(section.link as usize)?;
        let names = elf.sections.get(symbols.link as usize)?;
        let table = elf.bytes(section, LARGEST_TABLE)?;
        let number = |at| u32_at(&table, at);
        let (count, first, words) = (number(0)?, number(4)?, number(8)?);
        let start = usize::try_from(words).ok()?.checked_mul(elf.form.word.into())?.checked_add(16)?;
        let hashes = usize::try_from(count).ok()?.checked_mul(4)?.checked_add(start)?;
        (count > 0 && hashes <= table.len()).then_some(())?;
        Some(Exported { elf, symbols, names, buckets: (count, start), first, hashes, table })
    }

    /// The symbol of this name, if the file defines it.
    pub fn find(&self, name: &[u8]) -> Option<SymbolEntry> {
        let wanted = hash(name);
        let (count, start) = self.buckets;
        let first = u32_at(&self.table, start + 4 * (wanted % count) as usize)?;
        for index in (first..=u32::MAX).take(MOST_TRIES) {
            let place = usize::try_from(index.checked_sub(self.first)?).ok()?.checked_mul(4)?;
            let found = u32_at(&self.table, self.hashes.checked_add(place)?)?;
            if (found ^ wanted) >> 1 == 0
                && let Some(symbol) = self.symbol(index)
                && self.has_name(&symbol, name)
            {
                return Some(symbol).filter(|symbol| symbol.section != 0);
            }
            // The lowest bit ends the list.
            if found & 1 != 0 {
                break;
            }
        }
        None
    }

    fn symbol(&self, index: u32) -> Option<SymbolEntry> {
        let size = self.elf.form.symbol;
        self.elf.form.symbol(&self.elf.part(self.symbols, u64::from(index) * size as u64, size)?)
    }

    fn has_name(&self, symbol: &SymbolEntry, name: &[u8]) -> bool {
        let found = self.elf.part(self.names, symbol.name.into(), name.len() + 1);
        found.is_some_and(|found| found.strip_suffix(b"\0") == Some(name))
    }
}

/// The hash of a name in such tables.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, &byte| hash.wrapping_mul(33).wrapping_add(byte.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::ElfData;
    use std::sync::Arc;
    use stride_test_support::skip;

    fn library(bytes: Vec<u8>) -> Option<Elf> {
        Elf::parse(ElfData::Memory(Arc::from(bytes)))
    }

    /// The C library of this machine, with the place of its table.
    fn libc() -> Option<(Vec<u8>, std::ops::Range<usize>)> {
        let paths = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"];
        let bytes = paths.iter().find_map(|path| std::fs::read(path).ok())?;
        let elf = library(bytes.clone())?;
        let table = elf.sections.iter().find(|section| section.kind == SHT_GNU_HASH)?;
        let start = table.offset as usize;
        Some((bytes, start..start + table.size as usize))
    }

    /// Looking in damaged tables ends.
    #[test]
    fn tables_that_make_no_sense() {
        let Some((bytes, table)) = libc() else {
            skip!("no libc.so.6 with a hash table");
        };
        let names = [&b"stat"[..], b"environ", b"no_such_function"];
        for (from, len) in [(0, 4), (4, 4), (8, 4), (0, 16), (16, table.len() - 16)] {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[table.start + from..][..len].fill(value);
                let elf = library(damaged).unwrap();
                if let Some(exported) = Exported::of(&elf) {
                    names.iter().for_each(|name| assert!(exported.find(name).is_none_or(|it| it.section != 0)));
                }
            }
        }
    }
}
