//! The names in a table of symbols. Large programs have megabytes of them, and few are looked for, so these are read when they are needed.

use crate::elf::Elf;
use crate::elf::form::Section;
use crate::files::bytes::string_at;
use std::borrow::Cow;
use std::cell::OnceCell;

#[derive(Debug)]
pub enum SymbolNames {
    Read(Vec<u8>),
    InFile {
        section: Section,
        /// All of them, once something needed them.
        all: OnceCell<Vec<u8>>,
    },
}

impl Default for SymbolNames {
    fn default() -> Self {
        SymbolNames::Read(Vec::new())
    }
}

/// Tables of this size are read at once.
const SMALL: u64 = 1 << 20;
/// Larger tables are ignored.
const LARGEST: usize = 256 << 20;
/// The bytes that are read of a name at first.
const FIRST_PART: u64 = 256;

impl SymbolNames {
    pub fn of(elf: &Elf, section: &Section) -> Option<SymbolNames> {
        let is_large = section.size > SMALL && section.size <= LARGEST as u64;
        if is_large && elf.part(section, section.size - 1, 1).is_some() {
            return Some(SymbolNames::InFile { section: section.clone(), all: OnceCell::new() });
        }
        elf.bytes(section, LARGEST).map(SymbolNames::Read)
    }

    /// The names, one behind the other. The file is that of the table, here and below.
    pub fn all(&self, elf: &Elf) -> &[u8] {
        match self {
            SymbolNames::Read(names) => names,
            SymbolNames::InFile { section, all } => all.get_or_init(|| elf.bytes(section, LARGEST).unwrap_or_default()),
        }
    }

    /// The name that begins here.
    pub fn get(&self, elf: &Elf, at: u32) -> Cow<'_, [u8]> {
        let (section, all) = match self {
            SymbolNames::Read(names) => return string_at(names, at as usize).into(),
            SymbolNames::InFile { section, all } => (section, all),
        };
        if let Some(names) = all.get() {
            return string_at(names, at as usize).into();
        }
        let rest = section.size.saturating_sub(at.into());
        let mut len = FIRST_PART.min(rest);
        loop {
            let Some(mut part) = elf.part(section, at.into(), len as usize) else { return Cow::default() };
            let end = part.iter().position(|&b| b == 0);
            if end.is_some() || len == rest {
                part.truncate(end.unwrap_or(part.len()));
                return part.into();
            }
            len = len.saturating_mul(16).min(rest);
        }
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        match self {
            SymbolNames::Read(names) => names.len(),
            SymbolNames::InFile { all, .. } => all.get().map_or(0, Vec::len),
        }
    }
}
