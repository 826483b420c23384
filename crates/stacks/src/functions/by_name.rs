//! Finds functions by their names.

use super::file::{CodeFileToProbe, MOST_FUNCTIONS, ProbesFound};
use super::table::{self, FunctionSymbol};
use super::typed::{raw, well_known};
use super::{entry_only, machine, types};
use crate::image::demangle::demangled;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use stride_event::quantity::count;
use stride_event::{Glob, LibraryFunction, LibraryProbe, ProbedFile};
use stride_syscalls::library::WordType;

/// The functions whose names match, as `LABEL:NAME`.
pub fn functions(file: &CodeFileToProbe, label: &str, pattern: &str, glob: &Glob) -> Result<ProbesFound, String> {
    let separate = file.separate();
    let (symbols, exported_only) = table::functions(&file.elf, separate.as_ref());
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
        let better = |chosen: &(&FunctionSymbol, Box<str>)| rank(&name) < rank(&chosen.1);
        if matching.get(&symbol.address).is_none_or(better) {
            matching.insert(symbol.address, (symbol, name));
        }
    }
    let shown = file.path.display();
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
    let go = entry_only::is_go(&file.elf);
    let mut told = if go { HashMap::new() } else { types::of(&file.elf, separate.as_ref(), &addresses) };
    // All names of a function count.
    let mut reasons: HashMap<u64, &'static str> = HashMap::new();
    for symbol in &symbols {
        if let Some(reason) = entry_only::reason(&symbol.name) {
            reasons.insert(symbol.address, reason);
        }
    }
    reasons.insert(file.elf.entry(), entry_only::begins());
    let language = entry_only::unwinds(&file.elf, &symbols);
    let mut probes = Vec::new();
    let mut without_return: BTreeMap<&'static str, (u64, Box<str>)> = BTreeMap::new();
    for (address, (symbol, name)) in matching {
        let Some(offset) = file.elf.offset_of(address) else { continue };
        let typed = match told.remove(&address) {
            _ if go => raw(machine::go_registers(), WordType::Raw),
            Some(typed) => typed,
            None => well_known(label, &symbol.name).unwrap_or_else(|| raw(machine::registers(), WordType::Raw)),
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
        probes.push(LibraryProbe { function: Arc::new(function), offset, semaphore: 0, words: typed.words.into() });
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
    Ok(ProbesFound { file: ProbedFile { path: file.path.clone(), probes }, remarks })
}

/// The name of a function that matches: as its programmer wrote it.
fn shown_name(symbol: &FunctionSymbol, glob: &Glob) -> Option<Box<str>> {
    let name = demangled(symbol.name.as_bytes());
    let matches = |text: &str| glob.matches(text.as_bytes()) != glob.inverted;
    // `foo::bar` is enough for `foo::bar(int)`.
    let bare = name.split_once('(').map_or(&*name, |(bare, _)| bare);
    (matches(&symbol.name) || matches(&name) || !glob.inverted && matches(bare)).then_some(name)
}

/// The order of several names for one function. The least name is shown.
fn rank(name: &str) -> (usize, usize, &str) {
    (name.bytes().take_while(|&b| b == b'_').count(), name.len(), name)
}
