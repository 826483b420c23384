//! Finding the files and functions that `--library-calls` and `--usdt` name.

mod list;
mod loader_cache;

pub use list::list;

use crate::options::{LibraryPattern, Options};
use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stride_engine_base::procfs;
use stride_event::{Command, LibraryFunction, ProbedFile};
use stride_stacks::{CodeFileToProbe, ProbesFound, code_files, functions, usdt_probes};
use stride_syscalls::Abi;

/// Directories of libraries that every loader searches.
fn library_directories() -> Vec<String> {
    let triple = Abi::NATIVE.facts().triple;
    let own = [format!("/lib/{triple}"), format!("/usr/lib/{triple}")];
    own.into_iter().chain(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(String::from)).collect()
}

/// Files that one name may stand for: versions of a library, and the same library in several containers.
const MOST_FILES: usize = 64;

/// The probes that the options ask for, and sentences about functions that cannot be traced.
pub fn find(options: &Options, command: Option<&Command>) -> Result<(Vec<ProbedFile>, Vec<String>)> {
    let mut files: Vec<ProbedFile> = Vec::new();
    let mut remarks = Vec::new();
    for pattern in &options.library {
        let option = option_of(pattern);
        let found = files_of(pattern, options, command);
        if found.is_empty() {
            bail!("{option}={}: {}", pattern.text, not_found(pattern, options));
        }
        let label = label(pattern);
        let mut refused = None;
        let mut any = false;
        for path in found {
            match choose(&path, &label, pattern) {
                Ok(chosen) => {
                    any = true;
                    remarks.extend(chosen.remarks);
                    add(&mut files, chosen.file);
                }
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        if let (false, Some(why)) = (any, refused) {
            bail!("{option}={}: {why}.", pattern.text);
        }
    }
    if let Some(why) = stride_engine_ebpf::returns_refused()
        && leave_returns(&mut files)
    {
        remarks.push(format!("functions are shown when they are entered, and not when they return: {why}"));
    }
    remarks.sort();
    remarks.dedup();
    Ok((files, remarks))
}

fn option_of(pattern: &LibraryPattern) -> &'static str {
    if pattern.provider.is_some() { "--usdt" } else { "--library-calls" }
}

fn choose(path: &Path, label: &str, pattern: &LibraryPattern) -> Result<ProbesFound, String> {
    let file = CodeFileToProbe::open(path)?;
    match &pattern.provider {
        Some(provider) => usdt_probes(&file, label, provider, &pattern.name),
        None => {
            let shown = pattern.text.split_once(':').map_or(&*pattern.text, |(_, glob)| glob);
            functions(&file, label, shown, &pattern.name)
        }
    }
}

/// Watches no returns. True if any would have been watched.
fn leave_returns(files: &mut [ProbedFile]) -> bool {
    let mut any = false;
    for probe in files.iter_mut().flat_map(|file| &mut file.probes).filter(|probe| probe.function.result.is_some()) {
        probe.function = Arc::new(LibraryFunction { result: None, ..(*probe.function).clone() });
        any = true;
    }
    any
}

/// Adds probes. Each place of a file is probed once.
fn add(files: &mut Vec<ProbedFile>, new: ProbedFile) {
    let Some(known) = files.iter_mut().find(|file| file.path == new.path) else { return files.push(new) };
    for probe in new.probes {
        if known.probes.iter().all(|other| other.offset != probe.offset) {
            known.probes.push(probe);
        }
    }
}

/// The part before the colon in the names of functions.
fn label(pattern: &LibraryPattern) -> String {
    stem(Path::new(&pattern.library))
}

/// The name of a file up to `.so`.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    match name.find(".so") {
        Some(at) if at > 0 => name[..at].to_owned(),
        _ => name,
    }
}

fn not_found(pattern: &LibraryPattern, options: &Options) -> String {
    let name = pattern.library.to_string_lossy();
    if name.contains('/') {
        return format!("there is no file '{name}'.");
    }
    let traced = if options.spec.attach.is_empty() { "" } else { ", and no process given with -p has mapped one" };
    format!(
        "there is no library '{name}' (such as {name}.so.1) where libraries are searched{traced}. Give the path of its file in place \
         of its name."
    )
}

fn files_of(pattern: &LibraryPattern, options: &Options, command: Option<&Command>) -> Vec<PathBuf> {
    let name = &pattern.library;
    if name.as_bytes().contains(&b'/') {
        return fs::canonicalize(name).into_iter().collect();
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for &pid in &options.spec.attach {
        found.extend(mapped(pid, name));
    }
    if let Some(command) = command
        && command.path.file_name() == Some(name)
    {
        let program = fs::canonicalize(&command.path).ok();
        found.extend(program.filter(|path| CodeFileToProbe::open(path).is_ok()));
    }
    // A process that is attached to has mapped its libraries, unless it loads them later.
    if found.is_empty() {
        found = searched(name);
    }
    found.sort();
    found.dedup();
    found.truncate(MOST_FILES);
    found
}

/// Files of this name in the places where libraries are searched, or the program of this name.
fn searched(name: &OsStr) -> Vec<PathBuf> {
    let directories = |variable| {
        let given = std::env::var_os(variable).unwrap_or_default();
        std::env::split_paths(&given).filter(|path| !path.as_os_str().is_empty()).collect::<Vec<_>>()
    };
    let given = directories("LD_LIBRARY_PATH").into_iter().flat_map(|directory| inside(&directory, name));
    let known = loader_cache::libraries().into_iter().filter(|path| is_named(path, name));
    let mut found = with_code(given.chain(known));
    if found.is_empty() {
        found = with_code(library_directories().iter().flat_map(|directory| inside(Path::new(directory), name)));
    }
    // A program that the command starts. The first one on PATH may be a script that starts it.
    if found.is_empty() {
        found = with_code(directories("PATH").into_iter().map(|directory| directory.join(name)));
        found.truncate(1);
    }
    found
}

/// The files that can be traced, without links. Files for other machines are skipped here, where they have not been asked for by path.
fn with_code(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths.filter_map(|path| fs::canonicalize(path).ok()) {
        if !found.contains(&path) && CodeFileToProbe::open(&path).is_ok() {
            found.push(path);
        }
    }
    found
}

fn inside(directory: &Path, name: &OsStr) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_named(path, name)).collect()
}

/// True for `libc.so.6` and `libc-2.31.so`, if the name is `libc`; and for a file of this very name.
fn is_named(path: &Path, name: &OsStr) -> bool {
    let Some(rest) = path.file_name().and_then(|file| file.as_bytes().strip_prefix(name.as_bytes())) else {
        return false;
    };
    let version = || rest.strip_prefix(b"-")?.first().filter(|b| b.is_ascii_digit());
    rest.is_empty()
        || rest == b".so"
        || rest.starts_with(b".so.") && rest[4..].iter().all(|b| b.is_ascii_digit() || *b == b'.')
        || rest.ends_with(b".so") && version().is_some()
}

/// The files of this name that a process has mapped as code.
fn mapped(pid: i32, name: &OsStr) -> Vec<PathBuf> {
    mapped_files(pid, |path| is_named(path, name))
}

/// The files that a process has mapped as code, if they are wanted.
fn mapped_files(pid: i32, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let Ok(maps) = fs::read(procfs::path(pid, "maps")) else { return Vec::new() };
    let named = |(inode, path): (u64, Box<[u8]>)| {
        let path = Path::new(OsStr::from_bytes(&path));
        if !wanted(path) {
            return None;
        }
        // The process may have another root, as in a container.
        let inside = PathBuf::from(procfs::path(pid, "root")).join(path.strip_prefix("/").unwrap_or(path));
        let same = |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.ino() == inode);
        [path.to_owned(), inside].into_iter().find(same)
    };
    let mut found: Vec<PathBuf> = code_files(&maps).filter_map(named).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Glob;

    #[test]
    fn names_of_libraries() {
        for (path, name, expected) in [
            ("/lib/libc.so.6", "libc", true),
            ("/lib/libc-2.31.so", "libc", true),
            ("/lib/libc.so", "libc", true),
            ("/lib/libcap.so.2", "libc", false),
            ("/lib/libc.a", "libc", false),
            ("/lib/libc.so.conf", "libc", false),
            ("/lib/libpython3.11.so.1.0", "libpython3.11", true),
            ("/usr/bin/python3.11", "python3.11", true),
            ("/usr/bin/python3.11", "python3", false),
        ] {
            assert_eq!(is_named(Path::new(path), OsStr::new(name)), expected, "{path} {name}");
        }
    }

    #[test]
    fn labels() {
        let of = |library: &str| {
            let name = Glob::parse(b"x").unwrap();
            label(&LibraryPattern { library: library.into(), text: String::new(), provider: None, name })
        };
        assert_eq!((of("libc"), of("/lib/libssl.so.3"), of("./prog")), ("libc".into(), "libssl".into(), "prog".into()));
    }
}
