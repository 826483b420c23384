//! `--rotate`: endless tracing in files of bounded size. FILE is the one that is written; FILE.1 is the one before, and so on.

use super::files::{NamedFile, Use};
use crate::options::{Extent, Rotation};
use crate::os_error;
use anyhow::{Result, bail};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use stride_output::own_file::{self, numbered};

impl Rotation {
    /// True if a file with so many bytes, begun then, is followed by another.
    fn is_over(&self, bytes: u64, began: Instant) -> bool {
        match self.every {
            Extent::Bytes(limit) => bytes >= limit,
            Extent::Time(limit) => began.elapsed() >= limit,
        }
    }

    /// Renames FILE to FILE.1, FILE.1 to FILE.2 and so on. The oldest file is replaced.
    fn make_room(&self, path: &Path) -> io::Result<()> {
        let failure = |from: &Path, to: &Path, e: &io::Error| {
            let text = format!("'{}' cannot be renamed to '{}': {}", from.display(), to.display(), os_error(e));
            io::Error::new(e.kind(), text)
        };
        if self.count == 1 {
            return fs::remove_file(path).map_err(|e| {
                io::Error::new(e.kind(), format!("'{}' cannot be removed: {}", path.display(), os_error(&e)))
            });
        }
        // Behind a gap nothing moves.
        let there = (1..self.count - 1).take_while(|number| numbered(path, *number).symlink_metadata().is_ok()).count();
        for number in (0..=there as u32).rev() {
            let from = if number == 0 { path.to_path_buf() } else { numbered(path, number) };
            let to = numbered(path, number + 1);
            fs::rename(&from, &to).map_err(|e| failure(&from, &to, &e))?;
        }
        Ok(())
    }

    /// Begins the next file.
    pub fn next_file(&self, path: &Path) -> io::Result<File> {
        self.make_room(path)?;
        // Meanwhile somebody else may have put something in its place.
        own_file::replace(path).map_err(|e| {
            io::Error::new(e.kind(), format!("'{}' cannot be made anew: {}", path.display(), os_error(&e)))
        })
    }

    /// The names that files get when they are rotated must be free for that.
    pub fn check(&self, named: &[NamedFile<'_>], rotated: &str, path: &Path) -> Result<()> {
        let regular = |path: &Path| path.metadata().map_or(true, |m| m.is_file());
        if !regular(path) {
            bail!(
                "--rotate renames files, and '{}' of {rotated} is no regular file: leave --rotate out or name a file",
                path.display()
            );
        }
        for number in 1..self.count {
            let name = numbered(path, number);
            if let Some(other) = named.iter().find(|other| other.path == name && !matches!(other.how, Use::Reads)) {
                bail!(
                    "--rotate would rename '{}' to '{}', which {} names: give one of them another name",
                    path.display(),
                    name.display(),
                    other.option
                );
            }
            match name.symlink_metadata() {
                Ok(there) if !there.is_file() => bail!(
                    "--rotate would replace '{}', which is no regular file: move it away, or give {rotated} another name",
                    name.display()
                ),
                Ok(_) => {}
                // No older file is there.
                Err(_) if number > 16 => break,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Counts the bytes of a file that is written in whole pieces.
pub struct FileAge {
    rotation: Rotation,
    began: Instant,
}

impl FileAge {
    pub fn new(rotation: Rotation) -> FileAge {
        FileAge { rotation, began: Instant::now() }
    }

    /// The size of a file, if sizes decide.
    pub fn size(&self) -> Option<u64> {
        match self.rotation.every {
            Extent::Bytes(bytes) => Some(bytes),
            Extent::Time(_) => None,
        }
    }

    pub fn is_over(&self, bytes: u64) -> bool {
        self.rotation.is_over(bytes, self.began)
    }

    pub fn next_file(&mut self, path: &Path) -> io::Result<File> {
        self.began = Instant::now();
        self.rotation.next_file(path)
    }
}

/// A text file that is rotated between lines. Clones write to the same file.
#[derive(Clone)]
pub struct RotatedText(Arc<Mutex<Current>>);

struct Current {
    path: PathBuf,
    file: File,
    age: FileAge,
    written: u64,
    /// The end of the last whole line.
    lines_end: u64,
    /// The bytes at the beginning of the file that each file begins with.
    head: u64,
    /// With JSON: the first line, which each file begins with. None until it is known.
    first_line: Option<Vec<u8>>,
    repeats_first: bool,
}

impl RotatedText {
    /// `repeats_first`: each file begins with the first line.
    pub fn new(path: &Path, file: File, rotation: Rotation, repeats_first: bool) -> io::Result<RotatedText> {
        let written = file.metadata()?.len();
        Ok(RotatedText(Arc::new(Mutex::new(Current {
            path: path.to_path_buf(),
            file,
            age: FileAge::new(rotation),
            written,
            lines_end: written,
            head: 0,
            first_line: None,
            repeats_first,
        }))))
    }
}

impl Current {
    fn is_at_line(&self) -> bool {
        self.written == self.lines_end
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.file = self.age.next_file(&self.path)?;
        (self.written, self.lines_end, self.head) = (0, 0, 0);
        if let Some(first) = self.first_line.take() {
            let result = self.put(&first);
            self.head = self.written;
            self.first_line = Some(first);
            result?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            // A line that is cut off would not be read as the line that it is.
            let _ = self.file.set_len(self.lines_end);
            return Err(error);
        }
        if let Some(last) = bytes.iter().rposition(|b| *b == b'\n') {
            self.lines_end = self.written + last as u64 + 1;
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// The number of the bytes that belong to the present file. None: not even the first line.
    fn fitting(&self, bytes: &[u8]) -> Option<usize> {
        let line = || bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
        let at_line = self.is_at_line();
        let used = self.written > self.head;
        match self.age.size() {
            Some(limit) => {
                let room = usize::try_from(limit.saturating_sub(self.written)).unwrap_or(usize::MAX);
                if bytes.len() <= room {
                    return Some(bytes.len());
                }
                let whole = bytes[..room].iter().rposition(|b| *b == b'\n').map(|at| at + 1);
                // A line that is longer than a file has a file of its own.
                whole.or_else(|| (!at_line || !used).then(line))
            }
            None if !self.age.is_over(self.written) || !used => Some(bytes.len()),
            None => (!at_line).then(line),
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.repeats_first && self.first_line.is_none() {
            self.first_line = bytes.iter().position(|b| *b == b'\n').map(|at| bytes[..=at].to_vec());
        }
        while !bytes.is_empty() {
            let Some(fitting) = self.fitting(bytes) else {
                self.rotate()?;
                continue;
            };
            let (now, later) = bytes.split_at(fitting);
            self.put(now)?;
            bytes = later;
        }
        Ok(())
    }
}

impl Write for RotatedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "rotation_tests.rs"]
mod tests;
