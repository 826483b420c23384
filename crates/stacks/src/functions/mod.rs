//! The functions of a file by their names, with what is needed to trace them: where each begins, and the types of its arguments.
//!
//! `table` reads the symbols, `types` the prototypes from DWARF, `usdt` the probes that a program has in itself, and `machine` has the
//! registers. For files without debug information, [`stride_syscalls::library`] has prototypes of well-known functions.
//!
//! Architecture invariant: the return of a function is only watched where that is safe. A watched return replaces the return address on the
//! stack. Programs that read, save or skip this address would fail: see [`entry_only`].

mod entry_only;
mod machine;
mod table;
mod types;
mod usdt;

use crate::demangle::demangled;
use crate::elf::{Elf, ElfData};
use crate::separate::DebugFiles;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stride_event::quantity::count;
use stride_event::{Glob, LibraryFunction, LibraryProbe, Param, ProbedFile, ProbedWord};
use stride_syscalls::library::{WordType, prototype};
use table::FunctionSymbol;
pub use usdt::usdt_probes;

/// The most functions or probes that one pattern may choose. Setting and removing so many takes seconds.
pub const MOST_FUNCTIONS: usize = 10_000;
/// Words that are shown of a function about which nothing is known.
const RAW_WORDS: usize = 3;

/// What a pattern has chosen in a file.
#[derive(Debug)]
pub struct Chosen {
    pub file: ProbedFile,
    /// Sentences about what is not traced, and why.
    pub remarks: Vec<String>,
}

/// A file that may be traced.
pub struct CodeFileToProbe {
    path: PathBuf,
    elf: Elf,
    debug: DebugFiles,
}

/// Types of a function, from whatever tells them.
struct Typed {
    params: Vec<Param>,
    words: Vec<ProbedWord>,
    result: WordType,
}

impl CodeFileToProbe {
    /// Opens a file of code. The error says what it is instead.
    pub fn open(path: &Path) -> Result<CodeFileToProbe, String> {
        let debug = DebugFiles::default();
        let cannot = |why: &str| format!("'{}' {why}", path.display());
        let opened = debug.pool.open(path.to_owned()).ok_or_else(|| cannot("cannot be read, or is no regular file"))?;
        let elf = Elf::parse(ElfData::File(opened)).ok_or_else(|| cannot("is no 64-bit ELF file"))?;
        if elf.machine() != machine::ELF_MACHINE {
            return Err(cannot("holds no code for this machine"));
        }
        Ok(CodeFileToProbe { path: path.to_owned(), elf, debug })
    }

    /// The functions whose names match, as `LABEL:NAME`.
    pub fn functions(&self, label: &str, pattern: &str, glob: &Glob) -> Result<Chosen, String> {
        let separate = self.debug.find(&self.elf, self.path.as_os_str().as_bytes());
        let (symbols, exported_only) = table::functions(&self.elf, separate.as_ref());
        let is_pattern = glob.atoms.iter().any(|atom| !matches!(atom, stride_event::Atom::Byte(_)));
        // The code that chooses a function may have a name of its own.
        let choosing: HashSet<u64> = symbols.iter().filter(|symbol| symbol.indirect).map(|symbol| symbol.address).collect();
        // An old version of the function, for old programs, may be an ordinary one.
        let chosen: HashSet<&str> = symbols.iter().filter(|symbol| symbol.indirect).map(|symbol| &*symbol.name).collect();
        let mut matching: BTreeMap<u64, (&FunctionSymbol, Box<str>)> = BTreeMap::new();
        let mut indirect = Vec::new();
        for symbol in &symbols {
            if entry_only::is_no_function(&symbol.name) {
                continue;
            }
            let Some(name) = shown_name(symbol, glob) else { continue };
            if choosing.contains(&symbol.address) || chosen.contains(&*symbol.name) {
                indirect.push(name);
                continue;
            }
            let better = |known: &(&FunctionSymbol, Box<str>)| rank(&name) < rank(&known.1);
            if matching.get(&symbol.address).is_none_or(better) {
                matching.insert(symbol.address, (symbol, name));
            }
        }
        let shown = self.path.display();
        if matching.is_empty() {
            return Err(match indirect.first() {
                Some(name) => format!(
                    "{label}:{name} cannot be traced: '{shown}' has several versions of it, of which each program chooses one for its \
                     processor when it starts (IFUNC)"
                ),
                None if exported_only => format!(
                    "no function of '{shown}' matches '{pattern}'. The file names only the functions that it exports (`nm -D '{shown}'` \
                     lists them): its debug information, if it were installed, would name the others"
                ),
                None => format!("no function of '{shown}' matches '{pattern}' (`nm -C '{shown}'` lists them)"),
            });
        }
        if matching.len() > MOST_FUNCTIONS {
            return Err(format!(
                "{} functions of '{shown}' match '{pattern}', and at most {} can be traced: give a narrower pattern",
                stride_event::grouped(matching.len() as u64),
                stride_event::grouped(MOST_FUNCTIONS as u64)
            ));
        }
        let mut remarks = Vec::new();
        if is_pattern && !indirect.is_empty() {
            remarks.push(format!(
                "{} of {label} cannot be traced, because programs choose a version of it for their processor (IFUNC), such as {}",
                count(indirect.len() as u64, "function", "functions"),
                indirect[0]
            ));
        }
        let addresses: Vec<u64> = matching.keys().copied().collect();
        let go = entry_only::is_go(&self.elf);
        let told = if go { HashMap::new() } else { types::of(&self.elf, separate.as_ref(), &addresses) };
        // All names of a function count.
        let mut reasons: HashMap<u64, &'static str> = HashMap::new();
        for symbol in &symbols {
            if let Some(reason) = entry_only::reason(&symbol.name) {
                reasons.insert(symbol.address, reason);
            }
        }
        reasons.insert(self.elf.entry(), entry_only::begins());
        let language = entry_only::unwinds(&self.elf, &symbols);
        let mut probes = Vec::new();
        let mut without_return: BTreeMap<&'static str, (u64, Box<str>)> = BTreeMap::new();
        let mut told = told;
        for (address, (symbol, name)) in matching {
            let Some(offset) = self.elf.offset_of(address) else { continue };
            let typed = match told.remove(&address) {
                _ if go => raw(machine::go_registers(), WordType::Raw),
                Some(typed) => typed,
                None => known(label, &symbol.name).unwrap_or_else(|| raw(machine::registers(), WordType::Raw)),
            };
            let reason = language.or_else(|| reasons.get(&address).copied());
            if let Some(reason) = reason {
                without_return.entry(reason).or_insert_with(|| (0, name.clone())).0 += 1;
            }
            let function = LibraryFunction {
                name: format!("{label}:{name}").into(),
                params: typed.params.into(),
                result: reason.is_none().then_some(typed.result),
            };
            probes.push(LibraryProbe {
                function: Arc::new(function),
                offset,
                semaphore: 0,
                words: typed.words.into(),
            });
        }
        for (reason, (n, name)) in without_return {
            remarks.push(match n {
                1 => format!("{label}:{name} is shown when it is entered, and not when it returns: {reason}"),
                _ => format!(
                    "{} of {label}, such as {name}, are shown when they are entered, and not when they return: {reason}",
                    count(n, "function", "functions")
                ),
            });
        }
        Ok(Chosen { file: ProbedFile { path: self.path.clone(), probes }, remarks })
    }
}

/// The name of a function that matches: as its programmer wrote it.
fn shown_name(symbol: &FunctionSymbol, glob: &Glob) -> Option<Box<str>> {
    let name = demangled(symbol.name.as_bytes());
    let matches = |text: &str| glob.matches(text.as_bytes()) != glob.inverted;
    // `foo::bar` is enough for `foo::bar(int)`.
    let bare = name.split_once('(').map_or(&*name, |(bare, _)| bare);
    (matches(&symbol.name) || matches(&name) || !glob.inverted && matches(bare)).then_some(name)
}

/// Of several names for one function, the one to show is the least.
fn rank(name: &str) -> (usize, usize, &str) {
    (name.bytes().take_while(|&b| b == b'_').count(), name.len(), name)
}

/// Types of a well-known function.
fn known(label: &str, name: &str) -> Option<Typed> {
    let row = prototype(label, name)?;
    let params = row.params.iter().map(|(name, ty)| Param { name: (*name).into(), ty: *ty }).collect();
    Some(placed(params, row.result))
}

/// The first registers, if nothing is known.
fn raw(registers: &[u16], result: WordType) -> Typed {
    let words: Vec<ProbedWord> = registers.iter().take(RAW_WORDS).map(|&reg| machine::whole(reg)).collect();
    let params = words.iter().map(|_| Param { name: "".into(), ty: WordType::Raw }).collect();
    Typed { params, words, result }
}

/// The places of arguments in the order of the calling convention.
fn placed(mut params: Vec<Param>, result: WordType) -> Typed {
    let words = machine::places(params.iter().map(|param| param.ty));
    params.truncate(words.len());
    Typed { params, words, result }
}
