//! The rules for unwinding a module's functions, from `.eh_frame` and `.debug_frame`.
//!
//! `gimli` reads the tables. Each address is looked up once. The result is a [`UnwindRule`], which the module's image
//! keeps.

use crate::elf::Elf;
use crate::elf::form::Section;
use crate::unwind::registers::{MOST_SAVED, Registers};
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, EhFrameHdr, EhHdrTable, EndianSlice, FrameDescriptionEntry,
    LittleEndian, ParsedEhFrameHdr, Register, RegisterRule, UnwindContext, UnwindExpression, UnwindOffset,
    UnwindSection, UnwindTableRow,
};
use std::ops::Range;
use std::rc::Rc;
use stride_event::CodeKind;

/// How to get from a frame to its caller's.
#[derive(Clone, Debug)]
pub enum UnwindRule {
    /// The tables have no entry for this address.
    Unknown,
    /// Nothing called this function: the thread began here.
    Bottom,
    /// The kernel made this frame to run a signal handler. The registers of the interrupted code are saved above it.
    Signal,
    /// The function has changed to another stack. The frame pointer still leads to the stack before, where it is saved
    /// below a return address.
    OtherStack,
    /// The frame pointer leads to the caller. The caller's stack pointer is saved at this distance from where it leads to.
    FramePointer {
        caller_sp: i64,
    },
    /// The caller of this code cannot be known, so the walk ends.
    Lost,
    Frame(Rc<FrameRule>),
}

#[derive(Debug, PartialEq, Eq)]
pub struct FrameRule {
    pub cfa: Cfa,
    pub return_address: RegisterPlace,
    /// The places of the registers in [`Registers::saved`], in the same order.
    pub saved: [RegisterPlace; MOST_SAVED],
}

/// The canonical frame address: the stack pointer before the call.
#[derive(Debug, PartialEq, Eq)]
pub enum Cfa {
    Offset { register: u8, offset: i64 },
    Expression(Box<[u8]>),
}

/// Where the caller's value of a register is.
#[derive(Debug, PartialEq, Eq)]
pub enum RegisterPlace {
    /// Still in the register.
    Same,
    Lost,
    /// In memory, at this offset from the CFA.
    Memory(i64),
    /// The value is an address: the CFA plus this offset.
    Address(i64),
    /// In another register.
    Register(u8),
    MemoryAt(Box<[u8]>),
    Value(Box<[u8]>),
}

/// A larger section cannot be a real table.
const LARGEST_TABLE: usize = 64 << 20;
const MOST_FUNCTIONS: usize = 1 << 22;
const LONGEST_EXPRESSION: usize = 256;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Context = UnwindContext<usize>;

/// The tables of a module.
#[derive(Debug, Default)]
pub struct Cfi {
    code: CodeKind,
    bases: BaseAddresses,
    /// `.eh_frame_hdr`: the index of `.eh_frame`.
    header: Vec<u8>,
    eh_frame: Vec<u8>,
    /// The address of `.eh_frame`.
    frames_at: u64,
    /// The functions in `.eh_frame`, if there is no header.
    eh_index: Vec<Function>,
    debug_frame: Vec<u8>,
    debug_index: Vec<Function>,
}

#[derive(Debug, Clone, Copy)]
struct Function {
    start: u64,
    end: u64,
    offset: usize,
}

impl Cfi {
    /// The tables of a file that holds this kind of code.
    pub fn load(elf: &Elf, code: CodeKind) -> Cfi {
        let mut cfi = Cfi { code, ..Cfi::default() };
        let bytes = |section: &Section| elf.bytes(section, LARGEST_TABLE);
        if let Some(text) = elf.section(b".text") {
            cfi.bases = cfi.bases.set_text(text.address);
        }
        if let Some(got) = elf.section(b".got") {
            cfi.bases = cfi.bases.set_got(got.address);
        }
        if let Some(section) = elf.section(b".eh_frame")
            && let Some(content) = bytes(section)
        {
            cfi.bases = cfi.bases.set_eh_frame(section.address);
            cfi.eh_frame = content;
            cfi.frames_at = section.address;
            if let Some(section) = elf.section(b".eh_frame_hdr")
                && let Some(content) = bytes(section)
            {
                cfi.bases = cfi.bases.set_eh_frame_hdr(section.address);
                cfi.header = content;
            }
        } else {
            cfi.load_without_sections(elf);
        }
        if !cfi.eh_frame.is_empty() && !cfi.has_search_table() {
            cfi.eh_index = index(&eh_frame(&cfi.eh_frame, code), &cfi.bases);
        }
        if let Some(content) = elf.section(b".debug_frame").and_then(bytes) {
            cfi.debug_index = index(&debug_frame(&content, code), &cfi.bases);
            cfi.debug_frame = content;
        }
        cfi
    }

    /// Section headers may be stripped. The tables that the program needs to throw exceptions are still loaded.
    fn load_without_sections(&mut self, elf: &Elf) -> Option<()> {
        let header_at = elf.unwind_header?;
        let piece = |address| {
            let len = usize::try_from(elf.rest_of_segment(address)?).ok()?.min(LARGEST_TABLE);
            elf.loaded(address, len)
        };
        self.header = piece(header_at)?;
        self.bases = self.bases.clone().set_eh_frame_hdr(header_at);
        let frames_at = {
            let header = EhFrameHdr::new(&self.header, LittleEndian).parse(&self.bases, self.code.word()).ok()?;
            header.eh_frame_ptr().direct().ok()?
        };
        self.eh_frame = piece(frames_at)?;
        self.frames_at = frames_at;
        self.bases = self.bases.clone().set_eh_frame(frames_at);
        Some(())
    }

    fn has_search_table(&self) -> bool {
        !self.header.is_empty()
            && EhFrameHdr::new(&self.header, LittleEndian)
                .parse(&self.bases, self.code.word())
                .is_ok_and(|header| self.search_table(&header).is_some())
    }

    /// The index of the functions, if its section can hold as many rows as it has by its own account, which the search multiplies.
    fn search_table<'h>(&self, header: &'h ParsedEhFrameHdr<Slice<'h>>) -> Option<EhHdrTable<'h, Slice<'h>>> {
        const LEAST_ROW: usize = 4;
        let table = header.table()?;
        let (_, rows) = table.iter(&self.bases).size_hint();
        rows.is_some_and(|rows| rows <= self.header.len() / LEAST_ROW).then_some(table)
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        let functions = self.eh_index.len() + self.debug_index.len();
        self.header.len() + self.eh_frame.len() + self.debug_frame.len() + functions * size_of::<Function>()
    }

    /// The rule for an address. The address is relative to the module.
    pub fn rule(&self, address: u64, context: &mut Context) -> UnwindRule {
        let found = self.in_eh_frame(address, context).or_else(|| {
            let section = debug_frame(&self.debug_frame, self.code);
            self.indexed(&section, &self.debug_index, gimli::DebugFrameOffset, address, context)
        });
        found.unwrap_or(UnwindRule::Unknown)
    }

    fn in_eh_frame(&self, address: u64, context: &mut Context) -> Option<UnwindRule> {
        let section = eh_frame(&self.eh_frame, self.code);
        if !self.eh_index.is_empty() {
            return self.indexed(&section, &self.eh_index, gimli::EhFrameOffset, address, context);
        }
        let function = self.in_header(&section, address)?;
        self.rule_of(&section, &function, address, context)
    }

    /// The piece of code with an address that has rules of its own: a function, or a part of one that the compiler put elsewhere.
    pub fn piece(&self, address: u64) -> Option<Range<u64>> {
        if let Some(at) = self.eh_index.partition_point(|function| function.start <= address).checked_sub(1) {
            let Function { start, end, .. } = self.eh_index[at];
            return (address < end).then_some(start..end);
        }
        let function = self.in_header(&eh_frame(&self.eh_frame, self.code), address)?;
        Some(function.initial_address()..function.end_address())
    }

    fn in_header<'a>(&self, section: &EhFrame<Slice<'a>>, address: u64) -> Option<FrameDescriptionEntry<Slice<'a>>> {
        if self.header.is_empty() {
            return None;
        }
        let header = EhFrameHdr::new(&self.header, LittleEndian).parse(&self.bases, self.code.word()).ok()?;
        let found = self.search_table(&header)?.lookup(address, &self.bases).ok()?.direct().ok()?;
        // The table may point anywhere.
        let offset = found.checked_sub(self.frames_at).and_then(|offset| usize::try_from(offset).ok())?;
        let offset = gimli::EhFrameOffset(Some(offset).filter(|&offset| offset < self.eh_frame.len())?);
        let function = section.fde_from_offset(&self.bases, offset, EhFrame::cie_from_offset).ok()?;
        function.contains(address).then_some(function)
    }

    fn indexed<'a, S>(
        &self,
        section: &S,
        index: &[Function],
        offset: fn(usize) -> S::Offset,
        address: u64,
        context: &mut Context,
    ) -> Option<UnwindRule>
    where
        S: UnwindSection<Slice<'a>>,
        S::Offset: UnwindOffset<usize>,
    {
        let at = index.partition_point(|function| function.start <= address).checked_sub(1)?;
        let function = index[at];
        if address >= function.end {
            return None;
        }
        let function = section.fde_from_offset(&self.bases, offset(function.offset), S::cie_from_offset).ok()?;
        self.rule_of(section, &function, address, context)
    }

    fn rule_of<'a, S: UnwindSection<Slice<'a>>>(
        &self,
        section: &S,
        function: &FrameDescriptionEntry<Slice<'a>>,
        address: u64,
        context: &mut Context,
    ) -> Option<UnwindRule> {
        if function.is_signal_trampoline() {
            return Some(UnwindRule::Signal);
        }
        let registers = Registers::of(self.code);
        if function.cie().return_address_register() != Register(registers.return_address.into()) {
            return None;
        }
        let row = function.unwind_info_for_address(section, &self.bases, context, address).ok()?;
        rule(section, row, registers)
    }
}

fn eh_frame(content: &[u8], code: CodeKind) -> EhFrame<Slice<'_>> {
    let mut section = EhFrame::new(content, LittleEndian);
    section.set_address_size(code.word());
    section
}

fn debug_frame(content: &[u8], code: CodeKind) -> DebugFrame<Slice<'_>> {
    let mut section = DebugFrame::new(content, LittleEndian);
    section.set_address_size(code.word());
    section
}

/// All functions of a table, by their addresses.
fn index<'a, S>(section: &S, bases: &BaseAddresses) -> Vec<Function>
where
    S: UnwindSection<Slice<'a>>,
    S::Offset: UnwindOffset<usize>,
{
    let mut functions = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(function) = partial.parse(S::cie_from_offset)
        {
            let (start, end) = (function.initial_address(), function.end_address());
            if start < end {
                functions.push(Function { start, end, offset: function.offset() });
            }
        }
        if functions.len() >= MOST_FUNCTIONS {
            break;
        }
    }
    functions.sort_by_key(|function| function.start);
    functions
}

fn rule<'a, S: UnwindSection<Slice<'a>>>(
    section: &S,
    row: &UnwindTableRow<usize>,
    registers: &Registers,
) -> Option<UnwindRule> {
    let expression = |e: &UnwindExpression<usize>| -> Option<Box<[u8]>> {
        let bytes = e.get(section).ok()?.0.slice();
        (bytes.len() <= LONGEST_EXPRESSION).then(|| bytes.into())
    };
    let place = |register: Register| -> Option<RegisterPlace> {
        Some(match row.register(register) {
            None | Some(RegisterRule::SameValue) => RegisterPlace::Same,
            Some(RegisterRule::Offset(n)) => RegisterPlace::Memory(n),
            Some(RegisterRule::ValOffset(n)) => RegisterPlace::Address(n),
            Some(RegisterRule::Register(other)) => RegisterPlace::Register(u8::try_from(other.0).ok()?),
            Some(RegisterRule::Expression(e)) => RegisterPlace::MemoryAt(expression(&e)?),
            Some(RegisterRule::ValExpression(e)) => RegisterPlace::Value(expression(&e)?),
            Some(_) => RegisterPlace::Lost,
        })
    };
    let return_address = match place(Register(registers.return_address.into()))? {
        RegisterPlace::Same | RegisterPlace::Lost => return Some(UnwindRule::Bottom),
        place => place,
    };
    let cfa = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            Cfa::Offset { register: u8::try_from(register.0).ok()?, offset: *offset }
        }
        CfaRule::Expression(e) => Cfa::Expression(expression(e)?),
    };
    let mut saved = [const { RegisterPlace::Same }; MOST_SAVED];
    for (slot, &register) in saved.iter_mut().zip(registers.saved) {
        *slot = place(Register(register.into()))?;
    }
    Some(UnwindRule::Frame(Rc::new(FrameRule { cfa, return_address, saved })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_with_more_rows_than_its_section_is_not_searched() {
        // The version, the encodings of the pointer, of the number of rows and of the rows, the pointer, the number.
        let index = |rows: u64| {
            let head = [&[1, 3, 4, 4], &[0; 4][..], &rows.to_le_bytes()].concat();
            let bases = BaseAddresses::default().set_eh_frame_hdr(0).set_eh_frame(0);
            Cfi { header: [head, vec![0; 64]].concat(), eh_frame: vec![0; 64], bases, ..Cfi::default() }
        };
        assert!(index(4).has_search_table());
        for rows in [u64::MAX, u64::MAX / 2, 64] {
            let cfi = index(rows);
            assert!(!cfi.has_search_table());
            assert!(matches!(cfi.rule(5, &mut UnwindContext::new()), UnwindRule::Unknown));
            assert!(cfi.piece(5).is_none());
        }
    }
}
