//! The functions of a module: its symbol tables.

use crate::elf::Elf;
use crate::elf::form::{Section, SymbolEntry};
use crate::files::bytes::string_at;
use crate::image::symbol_names::SymbolNames;
use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
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
    /// By address. Programs in C++ have thousands of addresses with several names, of which few are looked for: these are compared then.
    entries: Vec<Entry>,
    names: SymbolNames,
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
        symbols.entries.sort_unstable_by_key(|entry| entry.address);
        symbols.entries.shrink_to_fit();
        symbols
    }

    fn table(elf: &Elf, section: &Section) -> Option<Symbols> {
        let entries = elf.bytes(section, LARGEST_TABLE)?;
        let names = SymbolNames::of(elf, elf.sections.get(section.link as usize)?)?;
        let entries =
            entries.chunks_exact(elf.form.symbol).filter_map(|bytes| entry(&elf.form.symbol(bytes)?)).collect();
        Some(Symbols { entries, names })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        self.names.size() + self.entries.len() * size_of::<Entry>()
    }

    /// The addresses of a function with this name. The file is the one that the symbols were loaded from, here and below.
    pub fn named(&self, elf: &Elf, name: &str) -> Option<Range<u64>> {
        let names = self.names.all(elf);
        let is_named = |e: &&Entry| plain(string_at(names, e.name as usize)) == name.as_bytes();
        self.entries.iter().find(is_named).map(|e| e.address..e.address.saturating_add(e.size))
    }

    /// The function at an address: its mangled name, and its start.
    pub fn find(&self, elf: &Elf, address: u64) -> Option<(Cow<'_, [u8]>, u64)> {
        let behind = self.entries.partition_point(|e| e.address <= address);
        let before = &self.entries[..behind];
        let nearest = before.last()?.address;
        // A label inside a function may come before the address. Real files nest no deeper than this, and have no more names for an address.
        let near = before.iter().rev().take(MOST_NAMES).enumerate();
        let near = near.take_while(|&(i, e)| i < MOST_NESTED || e.address == nearest).map(|(_, e)| e);
        let mut covering = near.clone().filter(|e| address - e.address < e.size).peekable();
        let found = match covering.peek().map(|innermost| innermost.address) {
            Some(start) => self.best(elf, covering.take_while(|e| e.address == start)),
            None => self.best(elf, near.take_while(|e| e.address == nearest)).filter(|e| e.size == 0),
        }?;
        let name = plain_of(self.names.get(elf, found.name));
        (!name.is_empty()).then_some((name, found.address))
    }

    /// The one to show, among those of one address.
    fn best<'e>(&self, elf: &Elf, of_one_address: impl Iterator<Item = &'e Entry>) -> Option<&'e Entry> {
        let all: Vec<_> = of_one_address.collect();
        if all.len() > FEW {
            self.names.all(elf);
        }
        all.into_iter().max_by(|a, b| by_rank(&self.names, elf, a, b))
    }
}

const MOST_NESTED: usize = 64;
const MOST_NAMES: usize = 1024;
/// So many names are read one by one.
const FEW: usize = 16;

/// The order of several names for one address. The greatest is shown.
fn by_rank(names: &SymbolNames, elf: &Elf, a: &Entry, b: &Entry) -> Ordering {
    let by_kind = |e: &Entry| (e.size != 0, !e.local);
    by_kind(a).cmp(&by_kind(b)).then_with(|| {
        let [a, b] = [a, b].map(|entry| plain_of(names.get(elf, entry.name)));
        let rank = |name: &[u8]| (Reverse(name.iter().take_while(|&&b| b == b'_').count()), Reverse(name.len()));
        rank(&a).cmp(&rank(&b)).then_with(|| a.cmp(&b))
    })
}

fn plain_of(name: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match name {
        Cow::Borrowed(name) => plain(name).into(),
        Cow::Owned(mut name) => {
            name.truncate(plain(&name).len());
            name.into()
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::ElfData;
    use stride_test_support::skip;

    /// This program. Its table of names is large.
    fn own() -> Option<Elf> {
        Elf::parse(ElfData::Memory(std::fs::read("/proc/self/exe").ok()?.into()))
    }

    #[test]
    fn a_name_is_the_same_however_it_is_read() {
        let Some(elf) = own() else { skip!("this program cannot be read") };
        let [one_by_one, at_once] = [Symbols::load(&elf), Symbols::load(&elf)];
        at_once.names.all(&elf);
        assert!(one_by_one.entries.len() > 10_000 && one_by_one.size() < at_once.size());
        for entry in one_by_one.entries.iter().step_by(53) {
            for address in [entry.address, entry.address + entry.size / 2, entry.address + entry.size] {
                assert_eq!(one_by_one.find(&elf, address), at_once.find(&elf, address), "{address:#x}");
            }
        }
        let name = "rust_begin_unwind";
        let named = |symbols: &Symbols| {
            symbols.entries.iter().any(|e| plain_of(symbols.names.get(&elf, e.name)) == name.as_bytes())
        };
        assert_eq!(named(&one_by_one), at_once.named(&elf, name).is_some());
    }

    /// The name that is shown, of several for an address, does not depend on the order of the table.
    #[test]
    fn several_names_for_an_address() {
        let Some(elf) = own() else { skip!("this program cannot be read") };
        let names = b"\0__write\0write\0write_all\0inner\0outer\0label\0".to_vec();
        let entry = |name: &str, address, size, local| {
            let at = names.windows(name.len() + 1).position(|part| part == format!("{name}\0").as_bytes()).unwrap();
            // (The name begins behind a NUL.)
            let at = (at..).find(|&at| names[at - 1] == 0).unwrap();
            Entry { address, size, name: at as u32, local }
        };
        let found = |entries: &[Entry], address| {
            let mut entries = entries.to_vec();
            let mut all = Vec::new();
            for _ in 0..entries.len() {
                entries.rotate_left(1);
                let mut sorted = entries.clone();
                sorted.sort_by_key(|entry| entry.address);
                let symbols = Symbols { entries: sorted, names: SymbolNames::Read(names.clone()) };
                all.push(symbols.find(&elf, address).map(|(name, start)| (text(&name), start)));
            }
            all.dedup();
            assert_eq!(all.len(), 1, "{all:?}");
            all.remove(0)
        };
        let outer = entry("outer", 0x1000, 0x100, false);
        let same = [
            entry("__write", 0x1010, 16, false),
            entry("write", 0x1010, 16, false),
            entry("write_all", 0x1010, 16, false),
            outer,
        ];
        assert_eq!(found(&same, 0x1014), Some(("write".into(), 0x1010)));
        assert_eq!(found(&same, 0x1050), Some(("outer".into(), 0x1000)), "behind the inner ones");
        let with_local = [entry("write", 0x1010, 16, true), entry("write_all", 0x1010, 16, false)];
        assert_eq!(found(&with_local, 0x1010), Some(("write_all".into(), 0x1010)));
        // A label has no size, and does not hide the function around it.
        assert_eq!(found(&[outer, entry("label", 0x1020, 0, true)], 0x1030), Some(("outer".into(), 0x1000)));
        assert_eq!(found(&[entry("label", 0x1020, 0, true)], 0x1030), Some(("label".into(), 0x1020)));
        assert_eq!(found(&[entry("label", 0x1020, 0, true), entry("inner", 0x1020, 4, false)], 0x1030), None);
        assert_eq!(found(&[outer], 0xfff), None);
        // More names than any file has.
        let many = vec![entry("write", 0x1010, 16, false); 5000];
        assert_eq!(found(&many[..3], 0x1011), Some(("write".into(), 0x1010)));
        let symbols = Symbols { entries: many, names: SymbolNames::Read(names.clone()) };
        assert_eq!(symbols.find(&elf, 0x1011).map(|(_, start)| start), Some(0x1010));
    }

    fn text(name: &[u8]) -> String {
        String::from_utf8_lossy(name).into_owned()
    }
}
