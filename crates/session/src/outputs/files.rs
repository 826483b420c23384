//! The files that options name. They are opened before anything is run, and no two options may name the same file.

use crate::os_error;
use anyhow::{Result, anyhow, bail};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stride_event::quantity::{bytes, count};

/// The number of bytes in a file that a view writes. It is 0 if writing failed.
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

/// A file that a view will write. Its old content is kept until tracing begins.
pub struct Target {
    /// The path, as the user wrote it.
    pub path: PathBuf,
    /// The open file.
    pub file: File,
    /// The bytes that the view has written.
    pub written: Written,
}

impl Target {
    /// Empties the file.
    pub fn begin(&self) -> io::Result<()> {
        if self.is_regular() { self.file.set_len(0) } else { Ok(()) }
    }

    /// True if the file is no pipe and no device.
    pub fn is_regular(&self) -> bool {
        self.file.metadata().is_ok_and(|m| m.is_file())
    }

    /// Empties the file, which is then written in whole pieces: if the disk is full, the file ends with a complete
    /// piece. The file's name for messages comes with it.
    pub fn whole(self) -> Result<(String, Box<Whole>)> {
        let name = self.path.display().to_string();
        self.begin().map_err(|e| anyhow!("Can't write '{name}': {}", os_error(&e)))?;
        Ok((name, Box::new(Whole { target: self, length: 0 })))
    }
}

/// A file that is written in whole pieces.
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

/// How a file is used.
#[derive(Clone, Copy)]
pub enum Use {
    /// The file is read before anything is run.
    Reads,
    /// A view writes the file. A notice at the end names it.
    Writes(CompletionNotice),
    /// The writer opens the file itself, as the trace's output does.
    Trace,
}

/// Makes the sentence at the end about a written file: its path, its size, and what to do with it.
pub type CompletionNotice = fn(&WrittenFile) -> String;

/// The facts that a completion notice can mention.
pub struct WrittenFile {
    /// The path, for a sentence.
    pub path: String,
    /// The path, quoted for a shell.
    pub word: String,
    /// The number of calls in the file, with the word.
    pub calls: String,
    /// The size of the file, with its unit.
    pub size: String,
}

/// A file that an option names.
pub struct NamedFile<'a> {
    /// The option, with its dashes.
    pub option: String,
    /// The path, as the user wrote it.
    pub path: &'a Path,
    /// How the file is used.
    pub how: Use,
}

/// The files that views write, by option.
pub struct Files(Vec<(String, CompletionNotice, Target)>);

impl Files {
    /// Opens the files that views write. The error names the option and the file.
    pub fn open(named: &[NamedFile<'_>]) -> Result<Files> {
        let mut files = Vec::new();
        for NamedFile { option, path, how } in named {
            if let Use::Writes(notice) = how {
                // The old content stays until it is certain that no other option names this file.
                let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
                let file =
                    file.map_err(|e| anyhow!("Can't open '{}' for {option}: {}", path.display(), os_error(&e)))?;
                let target = Target { path: path.to_path_buf(), file, written: Written::default() };
                files.push((option.clone(), *notice, target));
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

    /// The notices for the end of the run. Pipes and devices have none.
    pub fn completion_notices(&self) -> CompletionNotices {
        let regular = self.0.iter().filter(|(.., target)| target.is_regular());
        CompletionNotices(
            regular.map(|(_, notice, target)| (*notice, target.path.clone(), target.written.clone())).collect(),
        )
    }

    /// The file of an option. Its view keeps it.
    pub fn take(&mut self, long: &str) -> Option<Target> {
        let at = self.0.iter().position(|(option, ..)| option.strip_prefix("--") == Some(long))?;
        Some(self.0.swap_remove(at).2)
    }

    /// The file of an option that was given. Its view keeps it.
    pub fn take_given(&mut self, long: &str) -> Result<Target> {
        self.take(long).ok_or_else(|| anyhow!("--{long} has no file"))
    }
}

/// The files that views write, each with its notice, its path and its size.
pub struct CompletionNotices(Vec<(CompletionNotice, PathBuf, Written)>);

impl CompletionNotices {
    /// A sentence for each file that was written.
    pub fn sentences(&self, calls: u64) -> Vec<String> {
        let written = self.0.iter().filter(|(_, _, written)| written.get() > 0);
        let sentence = |(notice, path, written): &(CompletionNotice, PathBuf, Written)| {
            notice(&WrittenFile {
                path: path.display().to_string(),
                word: shell_word(path),
                calls: count(calls, "call", "calls"),
                size: bytes(written.get()),
            })
        };
        written.map(sentence).collect()
    }
}

/// A path, quoted for a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&b)) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// True if two names refer to the same file. Devices and pipes may be shared.
fn same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().filter(|m| m.is_file()).map(|m| (m.dev(), m.ino()));
    id(a).is_some() && id(a) == id(b)
}
