//! Reads ELF files, which may be hostile: every length is checked before it is used. No file is mapped into memory,
//! because a file that shrinks under a mapping would kill Stride.

pub mod exported;
pub mod form;

use crate::elf::form::{ElfForm, Section, Segment};
use crate::files::bytes::{string_at, u16_at, u32_at};
use crate::files::pool::PooledFile;
use flate2::read::ZlibDecoder;
use std::io::Read;
use std::sync::Arc;
use stride_event::CodeKind;

/// Where the bytes of a module are.
#[derive(Debug)]
pub enum ElfData {
    File(PooledFile),
    Memory(Arc<[u8]>),
}

impl ElfData {
    /// Reads exactly `len` bytes.
    pub fn read(&self, offset: u64, len: usize) -> Option<Vec<u8>> {
        match self {
            ElfData::File(file) => file.read(offset, len),
            ElfData::Memory(bytes) => {
                let from = usize::try_from(offset).ok()?;
                bytes.get(from..from.checked_add(len)?).map(<[u8]>::to_vec)
            }
        }
    }
}

/// The headers of a little-endian ELF file.
#[derive(Debug)]
pub struct Elf {
    data: ElfData,
    pub form: &'static ElfForm,
    /// The segments that are loaded into memory (`PT_LOAD`).
    pub segments: Vec<Segment>,
    pub sections: Vec<Section>,
    pub build_id: Box<[u8]>,
    /// `PT_GNU_EH_FRAME`: the address of `.eh_frame_hdr`, also in files without section headers.
    pub unwind_header: Option<u64>,
    /// The size of the memory that each thread has for itself (`PT_TLS`), rounded up to its alignment.
    pub thread_memory: Option<u64>,
    /// It is a program, and no library (`PT_INTERP`), or has no need of one.
    pub is_program: bool,
    machine: u16,
    entry: u64,
}

const PT_LOAD: u32 = 1;
const PT_INTERP: u32 = 3;
const PT_NOTE: u32 = 4;
const PT_TLS: u32 = 7;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const SHT_DYNAMIC: u32 = 6;
const SHT_NOBITS: u32 = 8;
const DT_NEEDED: u64 = 1;
const LARGEST_DYNAMIC: usize = 16 << 20;
const SHF_COMPRESSED: u64 = 1 << 11;
const NT_GNU_BUILD_ID: u32 = 3;
const ET_EXEC: u16 = 2;
const EM_386: u16 = 3;
const EM_X86_64: u16 = 62;
const ELFCOMPRESS_ZLIB: u32 = 1;
const ELFCOMPRESS_ZSTD: u32 = 2;
/// Headers beyond these counts are ignored. Real files have some tens.
const MOST_SEGMENTS: usize = 4096;
const MOST_SECTIONS: usize = 65536;
/// A build id is a hash of at most this many bytes.
const LONGEST_BUILD_ID: usize = 64;
const MOST_NOTES: usize = 1 << 16;

impl Elf {
    pub fn parse(data: ElfData) -> Option<Elf> {
        let form = ElfForm::of(&data.read(0, 6)?)?;
        let header = data.read(0, form.header)?;
        let mut elf = Elf {
            form,
            segments: Vec::new(),
            sections: Vec::new(),
            build_id: Box::default(),
            unwind_header: None,
            thread_memory: None,
            is_program: u16_at(&header, 16)? == ET_EXEC,
            machine: u16_at(&header, 18)?,
            entry: form.entry(&header)?,
            data,
        };
        elf.read_segments(&header);
        elf.read_sections(&header);
        Some(elf)
    }

    fn read_segments(&mut self, header: &[u8]) -> Option<()> {
        let at = self.form.program_headers(header)?;
        if at.size != self.form.program_header {
            return None;
        }
        let table = self.data.read(at.offset, at.count.min(MOST_SEGMENTS) * at.size)?;
        let mut notes = Vec::new();
        for entry in table.chunks_exact(at.size) {
            let segment = self.form.segment(entry)?;
            match segment.kind {
                PT_LOAD => self.segments.push(segment),
                PT_NOTE => notes.push((segment.offset, segment.file_size)),
                PT_GNU_EH_FRAME => self.unwind_header = Some(segment.address),
                PT_INTERP => self.is_program = true,
                PT_TLS => self.thread_memory = self.form.memory(entry),
                _ => {}
            }
        }
        let id = |&(offset, size): &(u64, u64)| build_id(&self.data.read(offset, (size as usize).min(MOST_NOTES))?);
        self.build_id = notes.iter().find_map(id).unwrap_or_default();
        Some(())
    }

    fn read_sections(&mut self, header: &[u8]) -> Option<()> {
        let at = self.form.section_headers(header)?;
        let (mut count, mut names) = (at.count, u32::from(self.form.names(header)?));
        if at.size != self.form.section_header || at.offset == 0 {
            return None;
        }
        // Numbers that do not fit into the header are in the first section.
        let first = self.form.section(&self.data.read(at.offset, at.size)?, &[])?;
        if count == 0 {
            count = usize::try_from(first.size).ok()?;
        }
        if names == 0xffff {
            names = first.link;
        }
        let table = self.data.read(at.offset, count.min(MOST_SECTIONS) * at.size)?;
        let named = self.form.section(table.get((names as usize).checked_mul(at.size)?..)?, &[])?;
        let strings = self.data.read(named.offset, usize::try_from(named.size).ok()?)?;
        for entry in table.chunks_exact(at.size) {
            self.sections.push(self.form.section(entry, &strings)?);
        }
        Some(())
    }

    /// The kind of code that the file holds, if unwinding knows it.
    pub fn code(&self) -> Option<CodeKind> {
        match (self.machine, self.form.word) {
            (EM_X86_64, 8) => Some(CodeKind::X86_64),
            (EM_386, 4) => Some(CodeKind::I386),
            _ => None,
        }
    }

    /// The kind of processor (`e_machine`).
    pub fn machine(&self) -> u16 {
        self.machine
    }

    /// The address at which the program begins (`e_entry`).
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// The place in the file of the code at an address.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let inside = |s: &&Segment| s.is_executable() && address >= s.address && address - s.address < s.file_size;
        let segment = self.segments.iter().find(inside)?;
        segment.offset.checked_add(address - segment.address)
    }

    /// The place in the file of the data at an address.
    pub fn data_offset_of(&self, address: u64) -> Option<u64> {
        let inside = |s: &&Segment| address >= s.address && address - s.address < s.file_size;
        let segment = self.segments.iter().find(inside).filter(|_| address != 0)?;
        segment.offset.checked_add(address - segment.address)
    }

    /// The libraries that the file asks for (`DT_NEEDED`).
    pub fn needed(&self) -> Vec<Vec<u8>> {
        let dynamic = self.sections.iter().find(|section| section.kind == SHT_DYNAMIC);
        let read = || {
            let dynamic = dynamic?;
            let names = self.bytes(self.sections.get(dynamic.link as usize)?, LARGEST_DYNAMIC)?;
            let entries = self.bytes(dynamic, LARGEST_DYNAMIC)?;
            let name = |entry: &[u8]| {
                let (_, at) = self.form.dynamic(entry).filter(|(tag, _)| *tag == DT_NEEDED)?;
                Some(string_at(&names, usize::try_from(at).ok()?).to_vec())
            };
            Some(entries.chunks_exact(2 * usize::from(self.form.word)).filter_map(name).collect())
        };
        read().unwrap_or_default()
    }

    pub fn section(&self, name: &[u8]) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// The bytes of a section, if they are no more than `most`.
    pub fn bytes(&self, section: &Section, most: usize) -> Option<Vec<u8>> {
        let size = usize::try_from(section.size).ok()?;
        if section.kind == SHT_NOBITS || size > most {
            return None;
        }
        let bytes = self.data.read(section.offset, size)?;
        if section.flags & SHF_COMPRESSED != 0 { self.inflated(&bytes, most) } else { Some(bytes) }
    }

    /// Some bytes of a section.
    pub fn part(&self, section: &Section, at: u64, len: usize) -> Option<Vec<u8>> {
        let is_inside = at.checked_add(len as u64).is_some_and(|end| end <= section.size);
        let is_plain = section.kind != SHT_NOBITS && section.flags & SHF_COMPRESSED == 0;
        if is_inside && is_plain { self.data.read(section.offset.checked_add(at)?, len) } else { None }
    }

    /// The bytes that the loader puts at this address, when the file is loaded where it asks to be.
    pub fn loaded(&self, address: u64, len: usize) -> Option<Vec<u8>> {
        let inside = |s: &&Segment| address >= s.address && address - s.address < s.file_size;
        let segment = self.segments.iter().find(inside)?;
        self.data.read(segment.offset.checked_add(address - segment.address)?, len)
    }

    /// The number of bytes from this address to the end of its segment.
    pub fn rest_of_segment(&self, address: u64) -> Option<u64> {
        let inside = |s: &&Segment| address >= s.address && address - s.address < s.file_size;
        self.segments.iter().find(inside).map(|s| s.file_size - (address - s.address))
    }

    /// The load bias of a mapping that begins at `start` with the bytes at `offset`.
    pub fn bias(&self, start: u64, offset: u64) -> Option<u64> {
        let page = |n: u64| n & !0xfff;
        let fits =
            |s: &&Segment| s.is_executable() && page(s.offset) <= offset && offset < s.offset.wrapping_add(s.file_size);
        let segment = self.segments.iter().find(fits)?;
        Some(start.wrapping_sub(segment.address.wrapping_add(offset.wrapping_sub(segment.offset))))
    }

    /// The content of a compressed section.
    fn inflated(&self, bytes: &[u8], most: usize) -> Option<Vec<u8>> {
        let (kind, size) = self.form.compression(bytes)?;
        let size = usize::try_from(size).ok().filter(|&size| size <= most)?;
        let packed = bytes.get(self.form.compression_header..)?;
        let mut content = Vec::new();
        let limit = size as u64;
        match kind {
            ELFCOMPRESS_ZLIB => ZlibDecoder::new(packed).take(limit).read_to_end(&mut content).ok()?,
            ELFCOMPRESS_ZSTD => zstd::Decoder::new(packed).ok()?.take(limit).read_to_end(&mut content).ok()?,
            _ => return None,
        };
        (content.len() == size).then_some(content)
    }
}

/// The build id among the notes of a segment.
fn build_id(mut notes: &[u8]) -> Option<Box<[u8]>> {
    let round = |n: usize| n.checked_add(3).map(|n| n & !3);
    while notes.len() >= 12 {
        let (name_len, len, kind) = (u32_at(notes, 0)? as usize, u32_at(notes, 4)? as usize, u32_at(notes, 8)?);
        let content = 12usize.checked_add(round(name_len)?)?;
        let next = content.checked_add(round(len)?)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..16) == Some(b"GNU\0") && len <= LONGEST_BUILD_ID {
            return notes.get(content..content.checked_add(len)?).map(Into::into);
        }
        notes = notes.get(next..)?;
    }
    None
}
