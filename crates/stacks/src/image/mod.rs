//! A file of code: its rules for unwinding, its functions and its lines. Each of these is loaded at its first use.

pub mod cache;
mod cold;
pub mod demangle;
mod dispatch;
pub mod go_table;
pub mod lines;
pub mod perf_map;
pub mod separate;
mod symbol_names;
pub mod symbols;
pub mod vdso;

use crate::elf::{Elf, ElfData};
use crate::image::cold::HotCode;
use crate::image::demangle::demangled;
use crate::image::go_table::GoTable;
use crate::image::lines::DebugLines;
use crate::image::separate::DebugFiles;
use crate::image::symbols::Symbols;
use crate::jit::languages as jit_languages;
use crate::jit::runtime::FoundJit;
use crate::script::languages;
use crate::script::runtime::FoundRuntime;
use crate::unwind::cfi::{Cfi, UnwindRule};
use crate::unwind::registers::SignalFrame;
use gimli::UnwindContext;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{CodeFile, CodeKind, StackFrame, Symbol};

pub struct CodeImage {
    pub module: Arc<CodeFile>,
    elf: Option<Elf>,
    finder: Rc<DebugFiles>,
    tables: RefCell<Tables>,
    rules: PerAddress<UnwindRule>,
    frames: PerAddress<Arc<StackFrame>>,
    /// The kinds of the instructions before addresses.
    before: PerAddress<Preceding>,
    /// The signal frames that the code at addresses ends.
    signals: PerAddress<Option<SignalFrame>>,
    /// The run-time system of a language, once it was looked for, with the index of the language.
    runtime: OnceCell<(usize, Option<FoundRuntime>)>,
    /// The same for a language that is compiled while the program runs.
    jit: OnceCell<(usize, Option<FoundJit>)>,
}

/// Facts about addresses, each found once.
struct PerAddress<T>(RefCell<FxHashMap<u64, T>>);

impl<T> Default for PerAddress<T> {
    fn default() -> Self {
        PerAddress(RefCell::default())
    }
}

impl<T: Clone> PerAddress<T> {
    fn get(&self, address: u64, find: impl FnOnce() -> T) -> T {
        if let Some(cached) = self.0.borrow().get(&address) {
            return cached.clone();
        }
        let found = find();
        let mut cache = self.0.borrow_mut();
        if cache.len() >= MOST_KEPT {
            cache.clear();
        }
        cache.insert(address, found.clone());
        found
    }

    fn len(&self) -> usize {
        self.0.borrow().len()
    }

    fn clear(&self) {
        self.0.take();
    }
}

/// The tables of a file of code, each loaded at its first use. They are large, so all are dropped when memory is short,
/// and loaded again.
#[derive(Default)]
struct Tables {
    cfi: OnceCell<Cfi>,
    go: OnceCell<Option<GoTable>>,
    /// The second value is true if they are those of the separate file.
    symbols: OnceCell<(Symbols, bool)>,
    /// The code of the function that runs scripts.
    evaluation: OnceCell<Option<HotCode>>,
    lines: OnceCell<Option<DebugLines>>,
    /// Debug information in a separate file.
    separate: OnceCell<Option<Elf>>,
}

/// The kinds of instructions that may stand before an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preceding {
    /// They make a system call.
    Call,
    /// They make the call that ends a signal handler.
    SignalReturn(SignalFrame),
    Other,
}

/// The number of addresses that are kept for a module. When it is reached, all are dropped.
const MOST_KEPT: usize = 1 << 16;
/// The instructions that make system calls: `syscall`, `int $0x80`, and `sysenter`.
const CALLS: [[u8; 2]; 3] = [[0x0f, 0x05], [0xcd, 0x80], [0x0f, 0x34]];
/// The code that ends a signal handler: `mov $15, %rax; syscall`, or `mov $15, %eax; syscall`; in 32-bit code
/// `pop %eax; mov $119, %eax; int $0x80`, or `mov $173, %eax; int $0x80`.
const RETURNS_FROM_SIGNAL: [(SignalFrame, &[u8]); 4] = [
    (SignalFrame::X86_64, b"\x48\xc7\xc0\x0f\0\0\0\x0f\x05"),
    (SignalFrame::X86_64, b"\xb8\x0f\0\0\0\x0f\x05"),
    (SignalFrame::I386, b"\x58\xb8\x77\0\0\0\xcd\x80"),
    (SignalFrame::I386Info, b"\xb8\xad\0\0\0\xcd\x80"),
];

/// The bytes of the longest of them.
const LONGEST_CODE: u64 = 9;

/// So many bytes from this address on, if all are in one segment.
fn code_window(elf: &Elf, address: u64) -> Option<Vec<u8>> {
    elf.rest_of_segment(address).filter(|&rest| rest >= LONGEST_CODE)?;
    elf.loaded(address, LONGEST_CODE as usize)
}

impl CodeImage {
    /// The file was opened, and is ELF.
    pub fn is_opened(&self) -> bool {
        self.elf.is_some()
    }

    /// A module whose file cannot be read, or is not ELF, is known by its path alone.
    pub fn new(path: &[u8], data: Option<ElfData>, finder: &Rc<DebugFiles>) -> CodeImage {
        let elf = data.and_then(Elf::parse);
        let build_id = elf.as_ref().map(|elf| elf.build_id.clone()).unwrap_or_default();
        CodeImage {
            module: Arc::new(CodeFile { path: path.into(), build_id }),
            elf,
            finder: finder.clone(),
            tables: RefCell::default(),
            rules: PerAddress::default(),
            frames: PerAddress::default(),
            before: PerAddress::default(),
            signals: PerAddress::default(),
            runtime: OnceCell::new(),
            jit: OnceCell::new(),
        }
    }

    /// The run-time system of a language that has its evaluation function in this file. (A file has one language.)
    pub fn runtime(&self, language: usize) -> Option<FoundRuntime> {
        let find = || languages::find(language, self.elf.as_ref()?, &self.module.path);
        let (of, found) = self.runtime.get_or_init(|| (language, find()));
        found.clone().filter(|_| *of == language)
    }

    /// The run-time system of a language that is compiled while the program runs.
    pub fn jit(&self, language: usize) -> Option<FoundJit> {
        let find = || jit_languages::find(language, self.elf.as_ref()?, &self.module.path);
        let (of, found) = self.jit.get_or_init(|| (language, find()));
        found.clone().filter(|_| *of == language)
    }

    /// The bytes of a short section.
    pub fn section(&self, name: &[u8]) -> Option<Vec<u8>> {
        const LARGEST: usize = 4096;
        let elf = self.elf.as_ref()?;
        elf.bytes(elf.section(name)?, LARGEST)
    }

    /// The load bias of a mapping that begins at `start` with the bytes at `offset`.
    pub fn bias(&self, start: u64, offset: u64) -> u64 {
        let bias = self.elf.as_ref().and_then(|elf| elf.bias(start, offset));
        bias.unwrap_or(start.wrapping_sub(offset))
    }

    /// The kind of code that the file holds, if unwinding knows it.
    pub fn code(&self) -> Option<CodeKind> {
        self.elf.as_ref().and_then(Elf::code)
    }

    pub fn rule(&self, address: u64, context: &mut UnwindContext<usize>) -> UnwindRule {
        self.rules.get(address, || {
            let tables = self.tables.borrow();
            // Go's own table comes first: its debug information does not tell where the frame pointer is saved.
            match self.go(&tables).map_or(UnwindRule::Unknown, |go| go.rule(address)) {
                UnwindRule::Unknown => self.cfi(&tables).rule(address, context),
                rule => rule,
            }
        })
    }

    fn cfi<'t>(&self, tables: &'t Tables) -> &'t Cfi {
        let load = || self.elf.as_ref().and_then(|elf| Some(Cfi::load(elf, elf.code()?)));
        tables.cfi.get_or_init(|| load().unwrap_or_default())
    }

    /// The kind of the instructions before an address.
    pub fn preceding(&self, address: u64) -> Preceding {
        self.before.get(address, || {
            let Some(elf) = &self.elf else { return Preceding::Other };
            // (One reading is enough, except where a segment begins.)
            let window = code_window(elf, address.wrapping_sub(LONGEST_CODE));
            let ends_with = |code: &[u8]| {
                let start = address.wrapping_sub(code.len() as u64);
                let found = || elf.loaded(start, code.len()).is_some_and(|found| found == code);
                window.as_ref().map_or_else(found, |window| window.ends_with(code))
            };
            if !CALLS.iter().any(|code| ends_with(code)) {
                return Preceding::Other;
            }
            match self.frames_of_signals().find(|(_, code)| ends_with(code)) {
                // The first instruction was executed.
                Some((SignalFrame::I386, _)) => Preceding::SignalReturn(SignalFrame::I386Popped),
                Some((frame, _)) => Preceding::SignalReturn(frame),
                None => Preceding::Call,
            }
        })
    }

    /// The code that ends signal handlers, of this file's kind of code.
    fn frames_of_signals(&self) -> impl Iterator<Item = (SignalFrame, &'static [u8])> {
        let is_i386 = self.code() == Some(CodeKind::I386);
        RETURNS_FROM_SIGNAL.into_iter().filter(move |(frame, _)| (*frame != SignalFrame::X86_64) == is_i386)
    }

    /// The signal frame that the code at this address ends.
    pub fn returns_from_signal(&self, address: u64) -> Option<SignalFrame> {
        self.signals.get(address, || {
            let elf = self.elf.as_ref()?;
            let window = code_window(elf, address);
            let found = |code: &[u8]| elf.loaded(address, code.len()).is_some_and(|found| found == code);
            let is_at = |code: &[u8]| window.as_ref().map_or_else(|| found(code), |window| window.starts_with(code));
            self.frames_of_signals().find(|(_, code)| is_at(code)).map(|(frame, _)| frame)
        })
    }

    /// How far in front of an address its function is looked up. A system call may be the last instruction of its
    /// function, so the lookup uses an address inside the instruction.
    fn behind_call(&self, address: u64) -> u64 {
        u64::from(self.preceding(address) != Preceding::Other)
    }

    /// The frame of an address, with its name, and with its line if `with_source`.
    pub fn frame(&self, address: u64, with_source: bool) -> Arc<StackFrame> {
        self.frames.get(address, || {
            let before = self.behind_call(address);
            let at = address.wrapping_sub(before);
            let symbol = self.symbol(at).map(|symbol| Symbol { offset: symbol.offset + before, ..symbol });
            let (source, inlined) = if with_source { self.source(at) } else { Default::default() };
            Arc::new(StackFrame { module: Some(self.module.clone()), offset: address, symbol, source, inlined })
        })
    }

    /// A frame of this module with its line.
    pub fn with_source(&self, frame: &StackFrame) -> Arc<StackFrame> {
        let (source, inlined) = self.source(frame.offset.wrapping_sub(self.behind_call(frame.offset)));
        Arc::new(StackFrame { source, inlined, ..frame.clone() })
    }

    fn symbol(&self, address: u64) -> Option<Symbol> {
        let tables = self.tables.borrow();
        let (symbols, elf) = self.symbols(&tables)?;
        let found = symbols.find(elf, address);
        let of_go = || self.go(&tables)?.find(address).map(|(name, start)| (name.into(), start));
        let found = found.or_else(of_go);
        let found = found.map(|(name, start)| Symbol { name: demangled(&name), offset: address - start });
        found.or_else(|| self.symbol_of_evaluation(&tables, &|name| symbols.named(elf, name), address))
    }

    /// The name of the function that runs scripts, or of its rarely executed part. Stripped files may not have them, and without them such a stack would lack all
    /// functions of its script.
    fn symbol_of_evaluation(
        &self,
        tables: &Tables,
        named: &dyn Fn(&str) -> Option<Range<u64>>,
        address: u64,
    ) -> Option<Symbol> {
        let elf = self.elf.as_ref()?;
        // (Jumps look the same in both kinds of code, and there is no other kind.)
        elf.code()?;
        let piece = |address| self.cfi(tables).piece(address);
        let load = || {
            let with_name = languages::evaluations().find_map(|name| HotCode::load(elf, name, named(name)?));
            let without = || HotCode::load(elf, languages::nameless(elf)?, dispatch::evaluation(elf, &piece)?);
            with_name.or_else(without)
        };
        let hot = tables.evaluation.get_or_init(load).as_ref()?;
        let piece = piece(address)?;
        let (own, offset) = (hot.contains(address), address - piece.start);
        let name = if own { hot.name.into() } else { format!("{}.cold", hot.name).into() };
        (own || hot.leads_into(&piece)).then_some(Symbol { name, offset })
    }

    /// The symbols, and the file that has them.
    fn symbols<'t>(&'t self, tables: &'t Tables) -> Option<(&'t Symbols, &'t Elf)> {
        let elf = self.elf.as_ref()?;
        let separate = || self.separate(tables);
        let (symbols, is_separate) = tables.symbols.get_or_init(|| {
            let of_separate = || Some(Symbols::load(separate()?)).filter(|symbols| !symbols.is_empty());
            let stripped = elf.section(b".symtab").is_none();
            let of_separate = if stripped { of_separate() } else { None };
            of_separate.map_or_else(|| (Symbols::load(elf), false), |symbols| (symbols, true))
        });
        Some((symbols, if *is_separate { separate()? } else { elf }))
    }

    fn source(&self, address: u64) -> (Option<stride_event::SourceLine>, Box<[stride_event::InlinedFunction]>) {
        let tables = self.tables.borrow();
        let lines = tables.lines.get_or_init(|| {
            let elf = self.elf.as_ref()?;
            DebugLines::load(elf).or_else(|| DebugLines::load(self.separate(&tables)?))
        });
        lines.as_ref().map(|lines| lines.find(address)).unwrap_or_default()
    }

    fn go<'t>(&self, tables: &'t Tables) -> Option<&'t GoTable> {
        tables.go.get_or_init(|| GoTable::load(self.elf.as_ref()?)).as_ref()
    }

    fn separate<'t>(&self, tables: &'t Tables) -> Option<&'t Elf> {
        let elf = self.elf.as_ref()?;
        tables.separate.get_or_init(|| self.finder.find(elf, &self.module.path)).as_ref()
    }

    /// The number of bytes that [`CodeImage::drop_tables`] can free.
    pub fn table_bytes(&self) -> usize {
        let tables = self.tables.borrow();
        let lines = tables.lines.get().and_then(Option::as_ref).map_or(0, DebugLines::size);
        let go = tables.go.get().and_then(Option::as_ref).map_or(0, GoTable::size);
        tables.symbols.get().map_or(0, |(symbols, _)| symbols.size())
            + tables.cfi.get().map_or(0, Cfi::size)
            + tables.evaluation.get().and_then(Option::as_ref).map_or(0, HotCode::size)
            + lines
            + go
    }

    pub fn drop_tables(&self) {
        self.tables.take();
    }

    /// The number of addresses of which something is known.
    pub fn kept(&self) -> usize {
        self.rules.len() + self.frames.len() + self.before.len() + self.signals.len()
    }

    pub fn drop_kept(&self) {
        self.rules.clear();
        self.frames.clear();
        self.before.clear();
        self.signals.clear();
    }
}
