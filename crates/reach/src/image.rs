//! A file of code: its instructions, its pointers, and the names that it has and wants.

use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};
use object::elf::{DT_FINI, DT_INIT, DT_NEEDED, DT_SONAME, ET_EXEC};
use object::read::elf::{Dyn, ElfFile64, FileHeader, SectionHeader};
use object::{
    Architecture, LittleEndian as Little, Object, ObjectSection, ObjectSegment, ObjectSymbol, RelocationFlags,
    RelocationTarget, SectionKind,
};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The reason why the code of a file is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// It is no file of code, or damaged.
    NoCode,
    /// Its code is for a machine whose instructions are not read here.
    OtherMachine,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeMachine {
    X86_64,
    Arm64,
}

/// The value that the dynamic loader puts into a word of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pointer {
    Address(u64),
    Symbol(Box<[u8]>),
}

/// The code of a file.
pub struct MachineCode {
    pub machine: CodeMachine,
    /// It is not moved when it is loaded, so its code has addresses as plain numbers.
    pub fixed: bool,
    /// Sections with code, and those with data, by their addresses.
    pub code: Vec<(Range<u64>, Vec<u8>)>,
    pub data: Vec<Range<u64>>,
    pub pointers: Vec<(u64, Pointer)>,
    pub exports: FxHashMap<Box<[u8]>, u64>,
    /// Functions by their names, exported or not.
    pub names: Vec<(u64, Box<[u8]>)>,
    /// Where functions begin, as far as tables tell.
    pub starts: Vec<u64>,
    /// Code and data that the loader uses by itself: the entry point, and functions that initialise.
    pub roots: Vec<u64>,
    pub needed: Vec<Box<[u8]>>,
    pub soname: Option<Box<[u8]>>,
}

impl MachineCode {
    /// Reads a file.
    pub fn parse(file: &[u8]) -> Result<MachineCode, Unread> {
        let elf: ElfFile64<'_, Little> = match ElfFile64::parse(file) {
            Ok(elf) => elf,
            // (An object of 32 bits is code, too.)
            Err(_) if file.starts_with(b"\x7fELF\x01") || file.starts_with(b"\x7fELF\x02\x02") => {
                return Err(Unread::OtherMachine);
            }
            Err(_) => return Err(Unread::NoCode),
        };
        let machine = match elf.architecture() {
            Architecture::X86_64 => CodeMachine::X86_64,
            Architecture::Aarch64 => CodeMachine::Arm64,
            _ => return Err(Unread::OtherMachine),
        };
        let fixed = elf.elf_header().e_type(Little) == ET_EXEC;
        let mut image = MachineCode {
            machine,
            fixed,
            code: Vec::new(),
            data: Vec::new(),
            pointers: Vec::new(),
            exports: FxHashMap::default(),
            names: Vec::new(),
            starts: vec![elf.entry()],
            roots: vec![elf.entry()],
            needed: Vec::new(),
            soname: None,
        };
        image.sections(&elf);
        if image.code.is_empty() {
            return Err(Unread::NoCode);
        }
        image.symbols(&elf);
        image.relocations(&elf);
        image.dynamic(&elf);
        image.frames(&elf);
        Ok(image)
    }

    /// True for the dynamic loader, which programs do not have to name among what they need.
    pub fn is_interpreter(&self) -> bool {
        self.needed.is_empty()
            && self.soname.as_deref().is_some_and(|name| name.starts_with(b"ld-") || name.starts_with(b"ld."))
    }

    /// The section of code that has this address.
    pub fn section_at(&self, address: u64) -> Option<&(Range<u64>, Vec<u8>)> {
        let behind = self.code.partition_point(|(range, _)| range.start <= address);
        self.code[..behind].last().filter(|(range, _)| range.contains(&address))
    }

    pub fn is_code(&self, address: u64) -> bool {
        self.section_at(address).is_some()
    }

    pub fn is_data(&self, address: u64) -> bool {
        let behind = self.data.partition_point(|range| range.start <= address);
        self.data[..behind].last().is_some_and(|range| range.contains(&address))
    }

    fn sections(&mut self, elf: &ElfFile64<'_, Little>) {
        // A damaged file may have the same bytes in many sections.
        let mut left = elf.data().len();
        for section in elf.sections() {
            let Some(end) = section.address().checked_add(section.size()) else { continue };
            let range = section.address()..end;
            if range.is_empty() || range.start == 0 {
                continue;
            }
            match section.kind() {
                SectionKind::Text => {
                    let Some(bytes) = section.data().ok().filter(|bytes| bytes.len() <= left) else { continue };
                    left -= bytes.len();
                    self.code.push((range.start..range.start + bytes.len() as u64, bytes.to_vec()));
                }
                // (.init_array has a type of its own.)
                SectionKind::Data
                | SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyDataWithRel
                | SectionKind::Elf(_) => self.data.push(range.clone()),
                _ => {}
            }
            if matches!(section.name_bytes(), Ok(b".init_array" | b".fini_array" | b".preinit_array")) {
                self.roots.push(range.start);
                self.starts.push(range.start);
            }
        }
        self.code.sort_by_key(|(range, _)| range.start);
        self.data.sort_by_key(|range| range.start);
    }

    fn symbols(&mut self, elf: &ElfFile64<'_, Little>) {
        for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            if let Ok(name) = symbol.name_bytes() {
                self.exports.entry(name.into()).or_insert(symbol.address());
            }
        }
        for symbol in elf.symbols().chain(elf.dynamic_symbols()).filter(|symbol| symbol.is_definition()) {
            let (address, Ok(name)) = (symbol.address(), symbol.name_bytes()) else { continue };
            if self.is_code(address) {
                self.starts.push(address);
                self.names.push((address, name.into()));
            } else if self.is_data(address) {
                self.starts.push(address);
            }
        }
        self.names.sort();
        self.names.dedup_by_key(|(address, _)| *address);
    }

    fn relocations(&mut self, elf: &ElfFile64<'_, Little>) {
        for (at, relocation) in elf.dynamic_relocations().into_iter().flatten() {
            let RelocationFlags::Elf { .. } = relocation.flags() else { continue };
            let pointer = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    let Some(symbol) = elf
                        .dynamic_symbol_table()
                        .and_then(|table| object::ObjectSymbolTable::symbol_by_index(&table, index).ok())
                    else {
                        continue;
                    };
                    match symbol.name_bytes() {
                        Ok(name) if !name.is_empty() => Pointer::Symbol(name.into()),
                        _ => Pointer::Address(symbol.address().wrapping_add_signed(relocation.addend())),
                    }
                }
                // R_*_RELATIVE and R_*_IRELATIVE
                RelocationTarget::Absolute => Pointer::Address(relocation.addend() as u64),
                _ => continue,
            };
            self.pointers.push((at, pointer));
        }
        self.packed_relocations(elf);
        self.pointers.sort_by_key(|(at, _)| *at);
    }

    /// Those of SHT_RELR, whose addresses are in the words themselves.
    fn packed_relocations(&mut self, elf: &ElfFile64<'_, Little>) {
        let sections = elf.elf_section_table();
        let packed = sections.iter().filter_map(|section| section.relr(Little, elf.data()).ok().flatten());
        for at in packed.flatten() {
            let word = elf.segments().find_map(|segment| segment.data_range(at, 8).ok().flatten());
            let word = word.and_then(|bytes| bytes.try_into().ok());
            self.pointers.extend(word.map(|word| (at, Pointer::Address(u64::from_le_bytes(word)))));
        }
    }

    fn dynamic(&mut self, elf: &ElfFile64<'_, Little>) {
        let (header, data) = (elf.elf_header(), elf.data());
        let Ok(sections) = header.sections(Little, data) else { return };
        let Ok(Some((entries, strings))) = sections.dynamic(Little, data) else { return };
        let strings = sections.strings(Little, data, strings).unwrap_or_default();
        for entry in entries {
            let name = || entry.string(Little, strings).ok().map(Box::from);
            match u32::try_from(entry.d_tag(Little)).unwrap_or(0) {
                DT_INIT | DT_FINI => {
                    self.starts.push(entry.d_val(Little));
                    self.roots.push(entry.d_val(Little));
                }
                DT_NEEDED => self.needed.extend(name()),
                DT_SONAME => self.soname = name(),
                _ => {}
            }
        }
    }

    /// Stripped files have no other table of their functions.
    fn frames(&mut self, elf: &ElfFile64<'_, Little>) {
        let Some(section) = elf.section_by_name(".eh_frame") else { return };
        let Ok(data) = section.data() else { return };
        let frames = EhFrame::new(data, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(section.address());
        let mut entries = frames.entries(&bases);
        // (An entry that cannot be read ends the table.)
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            if let Ok(entry) = partial.parse(|section, bases, offset| section.cie_from_offset(bases, offset)) {
                self.starts.push(entry.initial_address());
            }
        }
    }
}
