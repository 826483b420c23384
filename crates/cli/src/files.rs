//! The files that options name: opened before anything is run, and no two of them the same.

use crate::command::os_error;
use anyhow::{Result, anyhow, bail};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stride_event::quantity::{bytes, count};

/// How many bytes are in a file that a view writes; none if that failed.
#[derive(Clone, Default)]
pub struct Written(Arc<AtomicU64>);

impl Written {
    pub fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A file that a view will write. What it holds is gone only when tracing begins.
pub struct Target {
    pub path: PathBuf,
    pub file: File,
    pub written: Written,
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
        Ok(Whole { target: self, length: 0 })
    }
}

pub struct Whole {
    target: Target,
    length: u64,
}

impl Write for Whole {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let result = self.target.file.write_all(piece);
        if result.is_err() {
            self.target.written.set(0);
            if self.target.is_regular() {
                let _ = self.target.file.set_len(self.length);
            }
        }
        result?;
        self.length += piece.len() as u64;
        self.target.written.set(self.length);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is done with a file.
#[derive(Clone, Copy)]
pub enum Use {
    Reads,
    /// A view writes it, and says at the end what it wrote.
    Writes(Receipt),
    /// The trace goes there: its output opens it by itself.
    Trace,
}

/// Makes a sentence of what was written: where it is, how large, and what to do with it.
pub type Receipt = fn(&ReceiptFacts) -> String;

/// What there is to say of a file that was written.
pub struct ReceiptFacts {
    pub path: String,
    /// The path as it is typed into a shell.
    pub word: String,
    pub calls: String,
    pub size: String,
}

/// A file that an option names.
pub struct NamedFile<'a> {
    pub option: String,
    pub path: &'a Path,
    pub how: Use,
}

/// Those that views write, by option.
pub struct Files(Vec<(String, Receipt, Target)>);

impl Files {
    pub fn open(named: &[NamedFile<'_>]) -> Result<Files> {
        let mut files = Vec::new();
        for NamedFile { option, path, how } in named {
            if let Use::Writes(receipt) = how {
                // It is emptied only when it is known to be nobody else's.
                let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
                let file =
                    file.map_err(|e| anyhow!("Can't open '{}' for {option}: {}", path.display(), os_error(&e)))?;
                let target = Target { path: path.to_path_buf(), file, written: Written::default() };
                files.push((option.clone(), *receipt, target));
            }
        }
        for (i, NamedFile { option, path, how }) in named.iter().enumerate() {
            for other in &named[..i] {
                let both_read = matches!((how, other.how), (Use::Reads, Use::Reads));
                if !both_read && same_file(path, other.path) {
                    bail!(
                        "{} and {option} name the same file, '{}': give one of them another name",
                        other.option,
                        path.display()
                    );
                }
            }
        }
        Ok(Files(files))
    }

    /// What can be said of the files when all is over. Of pipes and devices nothing is.
    pub fn receipts(&self) -> Receipts {
        let regular = self.0.iter().filter(|(.., target)| target.is_regular());
        Receipts(regular.map(|(_, receipt, target)| (*receipt, target.path.clone(), target.written.clone())).collect())
    }

    /// The file of an option, for its view to keep.
    pub fn take(&mut self, long: &str) -> Option<Target> {
        let at = self.0.iter().position(|(option, ..)| option.strip_prefix("--") == Some(long))?;
        Some(self.0.swap_remove(at).2)
    }

    /// The same, emptied and to be written in whole pieces; and what messages call it.
    pub fn take_whole(&mut self, long: &str) -> Result<Option<(String, Box<Whole>)>> {
        let Some(target) = self.take(long) else { return Ok(None) };
        let name = target.path.display().to_string();
        Ok(Some((name, Box::new(target.whole()?))))
    }
}

/// The files that views were given: how to speak of each, its path, and how much was written.
pub struct Receipts(Vec<(Receipt, PathBuf, Written)>);

impl Receipts {
    /// A sentence for each file that was written.
    pub fn sentences(&self, calls: u64) -> Vec<String> {
        let written = self.0.iter().filter(|(_, _, written)| written.get() > 0);
        let sentence = |(receipt, path, written): &(Receipt, PathBuf, Written)| {
            receipt(&ReceiptFacts {
                path: path.display().to_string(),
                word: shell_word(path),
                calls: count(calls, "call", "calls"),
                size: bytes(written.get()),
            })
        };
        written.map(sentence).collect()
    }
}

/// A path as it is typed into a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&b)) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whether two names are of one file. Devices and pipes may be shared.
fn same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().filter(|m| m.is_file()).map(|m| (m.dev(), m.ino()));
    id(a).is_some() && id(a) == id(b)
}
