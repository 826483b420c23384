//! Where ELF files of 32 and of 64 bits have their entries: sizes and positions in bytes.

use crate::files::bytes::{string_at, u16_at, u32_at, u64_at};

/// One of the two forms.
#[derive(Debug)]
pub struct ElfForm {
    /// The size of an address.
    pub word: u8,
    /// The sizes of the file's header, and of an entry of each table.
    pub header: usize,
    pub program_header: usize,
    pub section_header: usize,
    pub symbol: usize,
    pub compression_header: usize,
    // In the file's header.
    program_headers: usize,
    section_headers: usize,
    counts: usize,
    // In a program header.
    segment_flags: usize,
    segment_offset: usize,
    segment_address: usize,
    segment_size: usize,
    // In a symbol.
    symbol_address: usize,
    symbol_size: usize,
    symbol_kind: usize,
    symbol_section: usize,
}

static FORM_32: ElfForm = ElfForm {
    word: 4,
    header: 52,
    program_header: 32,
    section_header: 40,
    symbol: 16,
    compression_header: 12,
    program_headers: 28,
    section_headers: 32,
    counts: 42,
    segment_flags: 24,
    segment_offset: 4,
    segment_address: 8,
    segment_size: 16,
    symbol_address: 4,
    symbol_size: 8,
    symbol_kind: 12,
    symbol_section: 14,
};

static FORM_64: ElfForm = ElfForm {
    word: 8,
    header: 64,
    program_header: 56,
    section_header: 64,
    symbol: 24,
    compression_header: 24,
    program_headers: 32,
    section_headers: 40,
    counts: 54,
    segment_flags: 4,
    segment_offset: 8,
    segment_address: 16,
    segment_size: 32,
    symbol_address: 8,
    symbol_size: 16,
    symbol_kind: 4,
    symbol_section: 6,
};

/// Where a table of headers is: its offset in the file, the size of an entry, and the number of entries.
pub struct HeaderTable {
    pub offset: u64,
    pub size: usize,
    pub count: usize,
}

/// A part of the file that the loader uses, by its program header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub file_size: u64,
}

impl Segment {
    pub fn is_executable(&self) -> bool {
        const PF_X: u32 = 1;
        self.flags & PF_X != 0
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: Vec<u8>,
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
}

pub struct SymbolEntry {
    pub name: u32,
    pub address: u64,
    pub size: u64,
    /// The kind of the symbol, and who sees it.
    pub info: u8,
    pub section: u16,
}

impl ElfForm {
    /// The form of a file that begins with these bytes, if it is a little-endian ELF file.
    pub fn of(start: &[u8]) -> Option<&'static ElfForm> {
        let class = start.strip_prefix(b"\x7fELF")?;
        match class.get(..2)? {
            [1, 1] => Some(&FORM_32),
            [2, 1] => Some(&FORM_64),
            _ => None,
        }
    }

    pub fn word_at(&self, bytes: &[u8], at: usize) -> Option<u64> {
        if self.word == 8 { u64_at(bytes, at) } else { u32_at(bytes, at).map(u64::from) }
    }

    /// The address at which the program begins.
    pub fn entry(&self, header: &[u8]) -> Option<u64> {
        self.word_at(header, 24)
    }

    pub fn program_headers(&self, header: &[u8]) -> Option<HeaderTable> {
        self.table(header, self.program_headers, self.counts)
    }

    pub fn section_headers(&self, header: &[u8]) -> Option<HeaderTable> {
        self.table(header, self.section_headers, self.counts + 4)
    }

    fn table(&self, header: &[u8], offset: usize, counts: usize) -> Option<HeaderTable> {
        Some(HeaderTable {
            offset: self.word_at(header, offset)?,
            size: u16_at(header, counts)?.into(),
            count: u16_at(header, counts + 2)?.into(),
        })
    }

    /// The index of the section that has the sections' names.
    pub fn names(&self, header: &[u8]) -> Option<u16> {
        u16_at(header, self.counts + 8)
    }

    pub fn segment(&self, bytes: &[u8]) -> Option<Segment> {
        Some(Segment {
            kind: u32_at(bytes, 0)?,
            flags: u32_at(bytes, self.segment_flags)?,
            offset: self.word_at(bytes, self.segment_offset)?,
            address: self.word_at(bytes, self.segment_address)?,
            file_size: self.word_at(bytes, self.segment_size)?,
        })
    }

    /// The size that a segment has in memory, rounded up to its alignment.
    pub fn memory(&self, bytes: &[u8]) -> Option<u64> {
        // (Only of 64-bit files: nothing needs it of others.)
        let (size, alignment) = (u64_at(bytes, 40)?, u64_at(bytes, 48)?);
        (self.word == 8).then(|| size.checked_next_multiple_of(alignment.max(1))).flatten()
    }

    /// The section with this header. `names` are the names of all sections.
    pub fn section(&self, bytes: &[u8], names: &[u8]) -> Option<Section> {
        let word = |i: usize| self.word_at(bytes, 8 + i * usize::from(self.word));
        Some(Section {
            name: string_at(names, u32_at(bytes, 0)? as usize).to_vec(),
            kind: u32_at(bytes, 4)?,
            flags: word(0)?,
            address: word(1)?,
            offset: word(2)?,
            size: word(3)?,
            link: u32_at(bytes, 8 + 4 * usize::from(self.word))?,
        })
    }

    pub fn symbol(&self, bytes: &[u8]) -> Option<SymbolEntry> {
        Some(SymbolEntry {
            name: u32_at(bytes, 0)?,
            address: self.word_at(bytes, self.symbol_address)?,
            size: self.word_at(bytes, self.symbol_size)?,
            info: *bytes.get(self.symbol_kind)?,
            section: u16_at(bytes, self.symbol_section)?,
        })
    }

    /// How the content of a compressed section is packed, and its size.
    pub fn compression(&self, content: &[u8]) -> Option<(u32, u64)> {
        Some((u32_at(content, 0)?, self.word_at(content, self.word.into())?))
    }

    /// The entry of the dynamic section that begins here: its tag and its value.
    pub fn dynamic(&self, entry: &[u8]) -> Option<(u64, u64)> {
        Some((self.word_at(entry, 0)?, self.word_at(entry, self.word.into())?))
    }
}
