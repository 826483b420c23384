//! The files that options name: opened before anything is run, and no two of them the same.

use crate::command::os_error;
use crate::flags::{Options, Output};
use anyhow::{Result, anyhow, bail};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that a view will write. What it holds is gone only when tracing begins.
pub struct Target {
    pub path: PathBuf,
    pub file: File,
}

impl Target {
    /// Empties it.
    pub fn begin(&self) -> io::Result<()> {
        if self.is_regular() { self.file.set_len(0) } else { Ok(()) }
    }

    pub fn is_regular(&self) -> bool {
        self.file.metadata().is_ok_and(|m| m.is_file())
    }

    /// Empties it, to be written in pieces of which there is all or nothing: where the disk is full, it ends as if it was meant to.
    fn whole(self) -> Result<Whole> {
        self.begin().map_err(|e| anyhow!("Can't write '{}': {}", self.path.display(), os_error(&e)))?;
        Ok(Whole { target: self, written: 0 })
    }
}

pub struct Whole {
    target: Target,
    written: u64,
}

impl Write for Whole {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let result = self.target.file.write_all(piece);
        if result.is_err() && self.target.is_regular() {
            let _ = self.target.file.set_len(self.written);
        }
        result?;
        self.written += piece.len() as u64;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is done with a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    Writes,
    /// The trace goes there: its output opens it by itself.
    Trace,
}

/// All files that options name: the one place where a new option adds its own.
fn uses(options: &Options) -> Vec<(&'static str, &Path, Use)> {
    let output = match &options.output {
        Output::File(path) => Some(path),
        _ => None,
    };
    let all = [
        ("--replay", &options.replay, Use::Reads),
        ("--diff", &options.diff, Use::Reads),
        ("--budget", &options.budget, Use::Reads),
        ("--record", &options.record, Use::Writes),
        ("--perfetto", &options.perfetto, Use::Writes),
        ("--html", &options.html, Use::Writes),
        ("--budget-write", &options.budget_write, Use::Writes),
    ];
    let named = all.into_iter().filter_map(|(option, path, how)| Some((option, path.as_deref()?, how)));
    named.chain(output.map(|path| ("-o/--output", path.as_path(), Use::Trace))).collect()
}

/// Those that views write, by option.
pub struct Files(Vec<(&'static str, Target)>);

impl Files {
    pub fn open(options: &Options) -> Result<Files> {
        let uses = uses(options);
        let mut files = Vec::new();
        for &(option, path, how) in &uses {
            if how == Use::Writes {
                // It is emptied only when it is known to be nobody else's.
                let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
                let file =
                    file.map_err(|e| anyhow!("Can't open '{}' for {option}: {}", path.display(), os_error(&e)))?;
                files.push((option, Target { path: path.to_owned(), file }));
            }
        }
        for (i, &(option, path, how)) in uses.iter().enumerate() {
            for &(other, other_path, other_how) in &uses[..i] {
                if (how != Use::Reads || other_how != Use::Reads) && same_file(path, other_path) {
                    bail!(
                        "{other} and {option} name the same file, '{}': give one of them another name",
                        path.display()
                    );
                }
            }
        }
        Ok(Files(files))
    }

    /// The file of an option, for its view to keep.
    pub fn take(&mut self, option: &str) -> Option<Target> {
        let at = self.0.iter().position(|(name, _)| *name == option)?;
        Some(self.0.swap_remove(at).1)
    }

    /// The same, emptied and to be written in whole pieces; and what messages call it.
    pub fn take_whole(&mut self, option: &str) -> Result<Option<(String, Box<Whole>)>> {
        let Some(target) = self.take(option) else { return Ok(None) };
        let name = target.path.display().to_string();
        Ok(Some((name, Box::new(target.whole()?))))
    }
}

/// Whether two names are of one file. Devices and pipes may be shared.
fn same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().filter(|m| m.is_file()).map(|m| (m.dev(), m.ino()));
    id(a).is_some() && id(a) == id(b)
}
