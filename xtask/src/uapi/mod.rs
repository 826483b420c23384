//! `cargo xtask uapi`: turns the kernel's UAPI headers into the Rust tables of `crates/uapi`.
//!
//! Nothing is typed twice: clang compiles the headers for each ABI, and the facts are read from its
//! output. Constants come from a data section of the object file, struct layouts and enum values from its DWARF. Facts
//! that the headers lack are in `xtask/extra/*.h` and are read in the same way.

// (The description needs the tables that this makes, so the facts of the ABIs come without it.)
#[path = "../../../crates/syscalls/src/abi/mod.rs"]
#[allow(dead_code, reason = "only some of the facts are needed here")]
mod abi;
mod consts;
mod dwarf;
mod emit;
mod groups;
mod header_text;
mod headers;
mod ioctls;
mod members;
mod names;
mod numbers;

use abi::Abi;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that names the package from which the committed files were made.
const MADE_FROM: &str = "MADE-FROM";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Replace the committed files.
    Write,
    /// Change nothing, and fail if the committed files are not up to date.
    Check,
}

/// All facts of one ABI.
pub struct Facts {
    pub consts: BTreeMap<String, u64>,
    /// Names of the constants that are ioctl requests.
    pub requests: ioctls::RequestNames,
    pub layouts: BTreeMap<String, dwarf::Layout>,
    /// The enumerations with a name.
    pub enumerations: BTreeMap<String, members::Names>,
}

pub fn run(mode: Mode) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")?;
    let source = headers::Source::find(root)?;
    let mut facts = Vec::new();
    // One thread for each ABI, because clang takes nearly all of the time.
    std::thread::scope(|scope| {
        let source = &source;
        let threads = Abi::ALL.map(|abi| scope.spawn(move || gather(abi, source)));
        for thread in threads {
            facts.push(thread.join().expect("a generator thread panicked"));
        }
    });
    let mut facts = facts.into_iter().collect::<Result<Vec<Facts>>>()?;
    let meanings = members::assign(&mut facts);
    let mut files = emit::files(&facts, &numbers::gather(&source, root)?, &source)?;
    // The vocabulary of the meanings is that of the description.
    files.insert("../../syscalls/src/ioctl/members.rs".to_owned(), emit::members(&meanings, &facts));
    let target = root.join("crates/uapi/src");
    let made_from = target.join(MADE_FROM);
    match mode {
        Mode::Write => {
            for (name, text) in &files {
                fs::write(target.join(name), text).with_context(|| format!("cannot write {name}"))?;
            }
            fs::write(&made_from, source.package() + "\n").with_context(|| format!("cannot write {MADE_FROM}"))?;
            for (abi, facts) in Abi::ALL.iter().zip(&facts) {
                eprintln!("{}: {} constants, {} layouts", abi.name(), facts.consts.len(), facts.layouts.len());
            }
            Ok(())
        }
        Mode::Check => match check(&target, &files) {
            // Another point release of the headers may differ. That is no mistake here.
            Err(stale) => {
                let committed = fs::read_to_string(&made_from).unwrap_or_default();
                if committed.trim() == source.package() {
                    return Err(stale);
                }
                println!("skipped: freshness: made from {}, but {} is installed", committed.trim(), source.package());
                Ok(())
            }
            fresh => fresh,
        },
    }
}

fn gather(abi: Abi, source: &headers::Source) -> Result<Facts> {
    let mut facts = Facts {
        consts: BTreeMap::new(),
        requests: ioctls::RequestNames::default(),
        layouts: BTreeMap::new(),
        enumerations: BTreeMap::new(),
    };
    let work = source.work_dir(abi)?;
    for (number, group) in groups::partition(abi, source, &work)?.iter().enumerate() {
        let base = work.join(format!("group{number}"));
        let types = dwarf::read(abi, source, group, &base)?;
        let (macros, requests) = consts::evaluate(abi, source, group, &base)?;
        facts.requests.extend(requests);
        // The first header wins, in the order of `Source::headers`: ours, then the common ones.
        for (name, value) in macros.into_iter().chain(types.enums) {
            facts.consts.entry(name).or_insert(value);
        }
        for (name, layout) in types.layouts {
            facts.layouts.entry(name).or_insert(layout);
        }
        for (name, values) in types.enumerations {
            facts.enumerations.entry(name).or_insert(values);
        }
    }
    let internal = source.extra.join(ioctls::INTERNAL);
    facts.requests.stand_back(&fs::read_to_string(&internal).with_context(|| internal.display().to_string())?);
    Ok(facts)
}

fn check(target: &Path, files: &BTreeMap<String, String>) -> Result<()> {
    let mut stale = 0;
    for (name, text) in files {
        let committed = fs::read_to_string(target.join(name)).unwrap_or_default();
        if committed == *text {
            continue;
        }
        stale += 1;
        let old: BTreeSet<&str> = committed.lines().collect();
        let new: BTreeSet<&str> = text.lines().collect();
        let (gone, added) = (old.difference(&new).count(), new.difference(&old).count());
        eprintln!("{name}: {gone} lines would go, {added} would come");
        let short = |line: &&str| line.chars().take(110).collect::<String>();
        old.difference(&new).take(5).for_each(|line| eprintln!("  - {}", short(line)));
        new.difference(&old).take(5).for_each(|line| eprintln!("  + {}", short(line)));
    }
    if stale > 0 {
        bail!("{stale} generated files are stale: run `cargo xtask uapi` and commit the result");
    }
    eprintln!("{} generated files are fresh", files.len());
    Ok(())
}

/// A path with another extension, kept here because every step names its files so.
fn with_ext(base: &Path, ext: &str) -> PathBuf {
    base.with_extension(ext)
}
