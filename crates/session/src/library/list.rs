//! `--usdt=list` and `--library-calls=list`: the functions and probes of a program, a library or a process.

use super::{library_directories, loader_cache, mapped_files, searched, stem};
use crate::options::LibraryList;
use anyhow::{Result, anyhow, bail};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use stride_engine_base::procfs;
use stride_event::quantity::count;
use stride_event::{Glob, LibraryFunction};
use stride_output::shown;
use stride_stacks::{CodeFileToProbe, functions, needed_libraries, usdt_probes};

/// So many files are looked at, and so many lines are printed.
const MOST_FILES: usize = 20_000;
const MOST_NEEDED: usize = 256;
const MOST_LINES: usize = 20_000;

/// The answer, for standard output.
pub fn list(list: &LibraryList) -> Result<String> {
    let mut text = match (&list.of, list.usdt) {
        (None, true) => probes_of_the_machine(),
        (None, false) => bail!(
            "--library-calls=list needs a library, a program or a process: --library-calls=list:libc:mem*, \
             --library-calls=list:curl or --library-calls=list:PID"
        ),
        (Some(of), true) => probes(of, list)?,
        (Some(of), false) if list.pattern.is_some() => functions_of(of, list)?,
        (Some(of), false) => files(of)?,
    };
    if let Some((at, _)) = text.match_indices('\n').nth(MOST_LINES) {
        text.truncate(at + 1);
        let _ = writeln!(text, "(There are more: give a pattern.)");
    }
    Ok(text)
}

/// The files that a name stands for, and those that they need; each with the name that the options have for it.
fn targets(of: &str) -> Result<Vec<(String, PathBuf)>> {
    let name = OsStr::new(of);
    let named = |path: PathBuf| (stem(&path), path);
    if !of.is_empty() && of.bytes().all(|b| b.is_ascii_digit()) {
        let pid = of.parse().ok().filter(|pid| procfs::exists(*pid));
        let pid =
            pid.ok_or_else(|| anyhow!("there is no process {of}: `pgrep -a NAME` lists processes and their ids"))?;
        let found = mapped_files(pid, |_| true);
        if found.is_empty() {
            bail!("/proc/{of}/maps tells of no file: look as root, and at a process that runs a program");
        }
        return Ok(found.into_iter().map(named).collect());
    }
    let (found, label) = if of.contains('/') {
        (fs::canonicalize(name).into_iter().collect(), Some(of.to_owned()))
    } else {
        (searched(name), None)
    };
    if found.is_empty() {
        bail!("there is no library, program or file '{of}': give the path of a file, or the id of a process that runs");
    }
    let mut all: Vec<(String, PathBuf)> =
        found.iter().map(|path| (label.clone().unwrap_or_else(|| stem(path)), path.clone())).collect();
    // A library has its own functions; a program is asked for with its libraries.
    if !found.iter().any(|path| path.to_string_lossy().contains(".so")) {
        all.extend(needed(&found).into_iter().map(named));
    }
    Ok(all)
}

/// The libraries that files need, and those that these need.
fn needed(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let known = loader_cache::libraries();
    let place = |name: &str| {
        let is_it = |path: &&PathBuf| path.file_name() == Some(OsStr::new(name));
        let others = || library_directories().into_iter().map(|directory| Path::new(&directory).join(name));
        let found = known.iter().find(is_it).cloned().or_else(|| others().find(|path| path.exists()))?;
        fs::canonicalize(found).ok()
    };
    let mut found = BTreeSet::new();
    let mut new: Vec<PathBuf> = files.to_vec();
    while let Some(file) = new.pop() {
        let names = CodeFileToProbe::open(&file).map(|file| needed_libraries(&file)).unwrap_or_default();
        for library in names.iter().filter_map(|name| place(name)) {
            if found.len() < MOST_NEEDED && found.insert(library.clone()) {
                new.push(library);
            }
        }
    }
    found
}

fn any() -> Glob {
    Glob::parse(b"*").unwrap_or_else(|_| Glob { atoms: Vec::new(), inverted: true })
}

/// The names of the probes of a file with a label, with their arguments, and the number of places that have each.
fn probes_of(path: &Path, label: &str) -> BTreeMap<Box<str>, (usize, usize)> {
    let found = CodeFileToProbe::open(path).and_then(|file| usdt_probes(&file, label, &any(), &any()));
    let mut names: BTreeMap<Box<str>, (usize, usize)> = BTreeMap::new();
    for probe in found.map(|found| found.file.probes).unwrap_or_default() {
        let entry = names.entry(probe.function.name.clone()).or_default();
        *entry = (probe.function.params.len(), entry.1 + 1);
    }
    names
}

fn probes(of: &str, list: &LibraryList) -> Result<String> {
    let glob = glob(list)?;
    let files = targets(of)?;
    let mut lines = Vec::new();
    let mut probed = 0;
    for (label, path) in &files {
        let all = probes_of(path, label);
        probed += all.len();
        for (name, (arguments, places)) in all {
            // The pattern is for PROVIDER:NAME.
            let rest = name.strip_prefix(label.as_str()).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&name);
            if glob.matches(rest.as_bytes()) == glob.inverted {
                continue;
            }
            let arguments = count(arguments as u64, "argument", "arguments");
            let places = if places > 1 { format!(", {places} places") } else { String::new() };
            lines.push([shown(name.as_bytes()), format!("{arguments}{places}"), String::new()]);
        }
    }
    if lines.is_empty() {
        let files = match &files[..] {
            [(_, path)] => format!("'{}'", path.display()),
            [(_, path), more @ ..] => {
                let libraries = count(more.len() as u64, "library", "libraries");
                format!("'{}' and {libraries} with it", path.display())
            }
            [] => String::new(),
        };
        let what = if probed > 0 { "no USDT probe that matches in" } else { "no USDT probe in" };
        bail!("there is {what} {files}. `stride --usdt=list` tells which files of this machine have probes");
    }
    Ok(columns(&lines))
}

/// Lines whose second and third parts begin in the same columns.
fn columns(lines: &[[String; 3]]) -> String {
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0).min(60);
    let (first, second) = (width(0), width(1));
    let line = |[a, b, c]: &[String; 3]| format!("{a:<first$}  {b:<second$}  {c}").trim_end().to_owned() + "\n";
    lines.iter().map(line).collect()
}

/// A line for each file with probes, among libraries that the loader knows and programs on PATH.
fn probes_of_the_machine() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path).flat_map(|directory| fs::read_dir(directory).into_iter().flatten());
    let programs = programs.flatten().map(|entry| entry.path());
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    for path in loader_cache::libraries().into_iter().chain(programs).take(MOST_FILES) {
        let Ok(path) = fs::canonicalize(path) else { continue };
        if !seen.insert(path.clone()) {
            continue;
        }
        let label = stem(&path);
        let all = probes_of(&path, &label);
        if !all.is_empty() {
            let probes = count(all.len() as u64, "probe", "probes");
            lines.push([shown(label.as_bytes()), probes, path.display().to_string()]);
        }
    }
    if lines.is_empty() {
        return "No library that the loader knows, and no program on PATH, has USDT probes.\n".to_owned();
    }
    columns(&lines)
        + "(stride --usdt=list:NAME lists the probes of one of them, and --usdt=list:PID those of a running process.)\n"
}

fn glob(list: &LibraryList) -> Result<Glob> {
    let Some(pattern) = &list.pattern else { return Ok(any()) };
    Glob::parse(pattern.as_bytes()).map_err(|why| anyhow!("the pattern '{pattern}': {why}"))
}

/// The functions that match, as they are given to `--library-calls`, with the names of their arguments if these are known.
fn functions_of(of: &str, list: &LibraryList) -> Result<String> {
    let (glob, pattern) = (glob(list)?, list.pattern.clone().unwrap_or_default());
    let mut names = BTreeSet::new();
    let mut refused = None;
    for (label, path) in targets(of)? {
        let found = CodeFileToProbe::open(&path).and_then(|file| functions(&file, &label, &pattern, &glob));
        match found {
            Ok(found) => names.extend(found.file.probes.iter().map(|probe| prototype(&probe.function))),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    match (names.is_empty(), refused) {
        (true, Some(why)) => bail!("{why}."),
        _ => Ok(names.into_iter().map(|name| name + "\n").collect()),
    }
}

fn prototype(function: &LibraryFunction) -> String {
    let names: Vec<&str> = function.params.iter().map(|param| &*param.name).collect();
    let known = !names.is_empty() && names.iter().all(|name| !name.is_empty());
    let arguments = if known { format!("({})", names.join(", ")) } else { String::new() };
    shown(format!("{}{arguments}", function.name).as_bytes())
}

/// A line for each file: its name for the option, and the number of its functions.
fn files(of: &str) -> Result<String> {
    let mut lines = Vec::new();
    for (label, path) in targets(of)? {
        let found = CodeFileToProbe::open(&path).and_then(|file| functions(&file, &label, "*", &any()));
        let functions = match found {
            Ok(found) => count(found.file.probes.len() as u64, "function", "functions"),
            Err(_) => "none, or too many to trace all".to_owned(),
        };
        lines.push([shown(label.as_bytes()), functions, path.display().to_string()]);
    }
    Ok(columns(&lines) + "(stride --library-calls=list:LIB:GLOB lists the functions of one of them that match.)\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_options() {
        let of = |of: &str, pattern: Option<&str>| {
            list(&LibraryList { usdt: false, of: Some(of.to_owned()), pattern: pattern.map(str::to_owned) })
        };
        let text = of("libc", Some("malloc")).unwrap();
        assert!(text.starts_with("libc:malloc("), "{text}");
        assert!(of("2147483647", None).unwrap_err().to_string().contains("pgrep"));
        assert!(of("libc", Some("nosuch*")).unwrap_err().to_string().contains("no function of"));
    }
}
