//! The output and the files that a run has left, as hashes.

use crate::site::Fnv;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The output and the files that a run has left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunShape {
    /// Parts by their names: the standard output, and files relative to the working directory or with their whole path.
    pub parts: BTreeMap<PathBuf, KeptPart>,
    /// The standard error.
    pub messages: u64,
}

/// A file as it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPart {
    Missing,
    /// Its size, and the hash of its content.
    File(u64, u64),
    /// A directory, a symbolic link or another file that is not read.
    Other,
}

/// The name of the standard output among the parts. (No file is called so: it is no path from the root, and has no directory.)
pub const STANDARD_OUTPUT: &str = "standard output";

impl RunShape {
    /// The parts of this shape that another one lacks, or has otherwise. Further parts of the other one are no loss, and neither are words on a standard output that has none here.
    pub fn lost_in(&self, other: &RunShape) -> BTreeSet<PathBuf> {
        let of_other = |name| other.parts.get(name).copied().unwrap_or(KeptPart::Missing);
        let is_empty = |name: &Path, part: &KeptPart| {
            *part == KeptPart::Missing || name == Path::new(STANDARD_OUTPUT) && matches!(part, KeptPart::File(0, _))
        };
        let lost = self.parts.iter().filter(|(name, part)| !is_empty(name, part) && **part != of_other(*name));
        lost.map(|(name, _)| name.clone()).collect()
    }

    /// Adds the file at `path`.
    pub fn add(&mut self, name: PathBuf, path: &Path) {
        self.parts.insert(name, part(path));
    }

    /// Adds all files below a directory.
    pub fn add_tree(&mut self, root: &Path) -> io::Result<()> {
        let mut directories = vec![root.to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(&directory)? {
                let path = entry?.path();
                let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
                if fs::symlink_metadata(&path)?.is_dir() {
                    directories.push(path.clone());
                }
                self.add(name, &path);
            }
        }
        Ok(())
    }
}

fn part(path: &Path) -> KeptPart {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => match hash(path) {
            Ok((size, hash)) => KeptPart::File(size, hash),
            Err(_) => KeptPart::Other,
        },
        Ok(_) => KeptPart::Other,
        Err(_) => KeptPart::Missing,
    }
}

/// The size and the hash of a file.
fn hash(path: &Path) -> io::Result<(u64, u64)> {
    let mut file = File::open(path)?;
    let (mut hash, mut size, mut buffer) = (Fnv::new(), 0, vec![0; 1 << 16]);
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            return Ok((size, hash.0));
        }
        hash.plain(&buffer[..n]);
        size += n as u64;
    }
}

/// The lines of the standard error that are the program's, and not those of the Stride that traced it.
pub fn messages_of(standard_error: &Path) -> String {
    let text = fs::read(standard_error).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter(|line| !line.starts_with("stride: ")).map(|line| format!("{line}\n")).collect()
}

/// The lines of Stride.
pub fn complaints_in(standard_error: &Path) -> String {
    let text = fs::read(standard_error).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let own: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("stride: ")).collect();
    own.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    #[test]
    fn files_that_are_lost_are_named() {
        let scratch = Scratch::new("sweep-shape");
        let root = scratch.path("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(root.join("sub/a"), "1").unwrap();
        let shape = || {
            let mut shape = RunShape::default();
            shape.add_tree(&root).unwrap();
            shape
        };
        let before = shape();
        assert!(before.lost_in(&shape()).is_empty());
        fs::write(root.join("b"), "").unwrap();
        assert!(before.lost_in(&shape()).is_empty(), "one more is no loss");
        fs::write(root.join("sub/a"), "2").unwrap();
        assert_eq!(before.lost_in(&shape()), [PathBuf::from("sub/a")].into());
        fs::remove_file(root.join("sub/a")).unwrap();
        assert_eq!(before.lost_in(&shape()), [PathBuf::from("sub/a")].into());
        let with_output = |text: &str| {
            let mut shape = RunShape::default();
            fs::write(root.join("out"), text).unwrap();
            shape.add(STANDARD_OUTPUT.into(), &root.join("out"));
            shape
        };
        assert!(with_output("").lost_in(&with_output("ar: no plugin")).is_empty(), "more words are no loss");
        assert_eq!(with_output("sum 3").lost_in(&with_output("")), [PathBuf::from(STANDARD_OUTPUT)].into());
    }
}
