//! The objects of a file of code by which run-time systems are found.

use crate::elf::Elf;
use crate::elf::exported::Exported;
use crate::files::bytes::string_at;

/// The addresses of objects by their names.
pub fn objects<const N: usize>(elf: &Elf, names: [&[u8]; N]) -> [Option<u64>; N] {
    if let Some(exported) = Exported::of(elf) {
        let found = names.map(|name| exported.find(name).map(|symbol| symbol.address));
        if found.iter().all(Option::is_some) {
            return found;
        }
    }
    scanned(elf, names)
}

/// The same from the whole tables of symbols: not all symbols are exported.
fn scanned<const N: usize>(elf: &Elf, names: [&[u8]; N]) -> [Option<u64>; N] {
    const LARGEST_TABLE: usize = 256 << 20;
    const SHT_SYMTAB: u32 = 2;
    const SHT_DYNSYM: u32 = 11;
    let mut found = [None; N];
    for kind in [SHT_DYNSYM, SHT_SYMTAB] {
        let section = elf.sections.iter().find(|section| section.kind == kind);
        let table = section.and_then(|section| {
            let entries = elf.bytes(section, LARGEST_TABLE)?;
            Some((entries, elf.bytes(elf.sections.get(section.link as usize)?, LARGEST_TABLE)?))
        });
        let Some((entries, strings)) = table else { continue };
        for entry in entries.chunks_exact(elf.form.symbol).filter_map(|bytes| elf.form.symbol(bytes)) {
            let name = string_at(&strings, entry.name as usize);
            if let Some(place) = names.iter().position(|wanted| *wanted == name)
                && entry.section != 0
            {
                found[place].get_or_insert(entry.address);
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

/// The bytes behind a text in the constants of a file, up to the next zero byte.
pub fn text_behind(elf: &Elf, beginning: &[u8]) -> Option<Vec<u8>> {
    const LARGEST: usize = 64 << 20;
    let constants = elf.bytes(elf.section(b".rodata")?, LARGEST)?;
    let at = constants.windows(beginning.len()).position(|part| part == beginning)? + beginning.len();
    Some(string_at(&constants, at).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::ElfData;
    use std::sync::Arc;
    use stride_test_support::skip;

    /// The hash table leads to the same symbols as the whole table.
    #[test]
    fn exported_symbols() {
        let paths = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"];
        let Some(bytes) = paths.iter().find_map(|path| std::fs::read(path).ok()) else {
            skip!("no libc.so.6");
        };
        let elf = Elf::parse(ElfData::Memory(Arc::from(bytes))).unwrap();
        let Some(exported) = Exported::of(&elf) else {
            skip!("libc.so.6 has no hash table");
        };
        let names = [&b"environ"[..], b"stdout", b"getenv", b"qsort"];
        let all = scanned(&elf, names);
        assert!(all.iter().all(Option::is_some));
        assert_eq!(names.map(|name| exported.find(name).map(|symbol| symbol.address)), all);
        assert_eq!(objects(&elf, names), all);
        for name in [&b"no_such_function"[..], b"geten", b"getenvv", b"", b"getenv\0", &[0xff; 5000]] {
            assert!(exported.find(name).is_none(), "{name:?}");
        }
    }
}
