//! A file of code: its rules for unwinding, its functions and its lines. Each of these is loaded at its first use.

use crate::cfi::{Cfi, UnwindRule};
use crate::demangle::demangled;
use crate::elf::{Elf, ElfData};
use crate::lines::DebugLines;
use crate::separate;
use crate::symbols::Symbols;
use gimli::UnwindContext;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use stride_event::{CodeFile, StackFrame, Symbol};

pub struct CodeImage {
    pub module: Arc<CodeFile>,
    elf: Option<Elf>,
    cfi: OnceCell<Cfi>,
    rules: RefCell<FxHashMap<u64, UnwindRule>>,
    symbols: RefCell<Option<Symbols>>,
    lines: RefCell<Option<Option<DebugLines>>>,
    frames: RefCell<FxHashMap<u64, Arc<StackFrame>>>,
    /// Whether the instruction before an address is a system call.
    behind_call: RefCell<FxHashMap<u64, bool>>,
    /// Debug information in a separate file.
    separate: OnceCell<Option<Elf>>,
}

/// The number of addresses that are kept for a module. When it is reached, all are dropped.
const MOST_KEPT: usize = 1 << 16;
/// The `syscall` instruction.
const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// The system call that ends a signal handler: `mov $15, %rax; syscall`, or `mov $15, %eax; syscall`.
const RETURNS_FROM_SIGNAL: [&[u8]; 2] = [b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05", b"\xb8\x0f\0\0\0\x0f\x05"];

impl CodeImage {
    /// A module whose file cannot be read, or is not ELF, is known by its path alone.
    pub fn new(path: &[u8], data: Option<ElfData>) -> CodeImage {
        let elf = data.and_then(Elf::parse);
        let build_id = elf.as_ref().map(|elf| elf.build_id.clone()).unwrap_or_default();
        CodeImage {
            module: Arc::new(CodeFile { path: path.into(), build_id }),
            elf,
            cfi: OnceCell::new(),
            rules: RefCell::default(),
            symbols: RefCell::default(),
            lines: RefCell::default(),
            frames: RefCell::default(),
            behind_call: RefCell::default(),
            separate: OnceCell::new(),
        }
    }

    /// The load bias of a mapping that begins at `start` with the bytes at `offset`.
    pub fn bias(&self, start: u64, offset: u64) -> u64 {
        let known = self.elf.as_ref().and_then(|elf| elf.bias(start, offset));
        known.unwrap_or(start.wrapping_sub(offset))
    }

    pub fn rule(&self, address: u64, context: &mut UnwindContext<usize>) -> UnwindRule {
        let mut rules = self.rules.borrow_mut();
        if let Some(rule) = rules.get(&address) {
            return rule.clone();
        }
        let cfi = self.cfi.get_or_init(|| self.elf.as_ref().map(Cfi::load).unwrap_or_default());
        let rule = cfi.rule(address, context);
        if rules.len() >= MOST_KEPT {
            rules.clear();
        }
        rules.insert(address, rule.clone());
        rule
    }

    pub fn is_behind_call(&self, address: u64) -> bool {
        let mut known = self.behind_call.borrow_mut();
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        *known.entry(address).or_insert_with(|| {
            let before = self.elf.as_ref().and_then(|elf| elf.loaded(address.wrapping_sub(2), 2));
            before.is_some_and(|code| code == SYSCALL)
        })
    }

    pub fn returns_from_signal(&self, address: u64) -> bool {
        let Some(elf) = &self.elf else { return false };
        RETURNS_FROM_SIGNAL.iter().any(|code| elf.loaded(address, code.len()).is_some_and(|found| found == *code))
    }

    /// The frame of an address, with its name, and with its line if `with_source`.
    pub fn frame(&self, address: u64, with_source: bool) -> Arc<StackFrame> {
        if let Some(frame) = self.frames.borrow().get(&address) {
            return frame.clone();
        }
        // A system call may be the last instruction of its function, so the lookup uses an address inside the
        // instruction.
        let before = u64::from(self.is_behind_call(address));
        let at = address.wrapping_sub(before);
        let symbol = self.symbol(at).map(|symbol| Symbol { offset: symbol.offset + before, ..symbol });
        let (source, inlined) = if with_source { self.source(at) } else { Default::default() };
        let module = Some(self.module.clone());
        let frame = Arc::new(StackFrame { module, offset: address, symbol, source, inlined });
        let mut frames = self.frames.borrow_mut();
        if frames.len() >= MOST_KEPT {
            frames.clear();
        }
        frames.insert(address, frame.clone());
        frame
    }

    /// A frame of this module with its line.
    pub fn with_source(&self, frame: &StackFrame) -> Arc<StackFrame> {
        let before = u64::from(self.is_behind_call(frame.offset));
        let (source, inlined) = self.source(frame.offset.wrapping_sub(before));
        Arc::new(StackFrame { source, inlined, ..frame.clone() })
    }

    fn symbol(&self, address: u64) -> Option<Symbol> {
        let mut symbols = self.symbols.borrow_mut();
        let symbols = symbols.get_or_insert_with(|| self.load_symbols().unwrap_or_default());
        let (name, start) = symbols.find(address)?;
        Some(Symbol { name: demangled(name), offset: address - start })
    }

    fn load_symbols(&self) -> Option<Symbols> {
        let elf = self.elf.as_ref()?;
        if elf.section(b".symtab").is_none()
            && let Some(separate) = self.separate()
        {
            let symbols = Symbols::load(separate);
            if !symbols.is_empty() {
                return Some(symbols);
            }
        }
        Some(Symbols::load(elf))
    }

    fn source(&self, address: u64) -> (Option<stride_event::SourceLine>, Box<[stride_event::InlinedFunction]>) {
        let mut lines = self.lines.borrow_mut();
        let lines = lines.get_or_insert_with(|| {
            let elf = self.elf.as_ref()?;
            DebugLines::load(elf).or_else(|| DebugLines::load(self.separate()?))
        });
        lines.as_ref().map(|lines| lines.find(address)).unwrap_or_default()
    }

    fn separate(&self) -> Option<&Elf> {
        let elf = self.elf.as_ref()?;
        self.separate.get_or_init(|| separate::find(elf, &self.module.path)).as_ref()
    }

    /// The number of bytes that [`CodeImage::shrink`] can free.
    pub fn size(&self) -> usize {
        let symbols = self.symbols.borrow().as_ref().map_or(0, Symbols::size);
        let lines = self.lines.borrow().as_ref().and_then(Option::as_ref).map_or(0, DebugLines::size);
        symbols + lines + self.cfi.get().map_or(0, Cfi::size)
    }

    /// Drops names and lines. They are loaded again when they are needed.
    pub fn shrink(&self) {
        *self.symbols.borrow_mut() = None;
        *self.lines.borrow_mut() = None;
    }
}
