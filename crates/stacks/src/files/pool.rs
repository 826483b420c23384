//! The open files of code: a bounded number of them, because `ulimit -n` counts Stride's, too. A file that was closed
//! is opened again when it is needed, if its name still leads to the same file.

use crate::files::open::{Identity, open_regular};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::rc::Rc;

/// The files that are open at a time. Names and rules are kept when a file is closed.
const MOST_OPEN: usize = 128;

/// Memory for so many bytes may be taken before it is known that the file has them.
const HARMLESS: usize = 64 << 10;

#[derive(Debug, Default)]
pub struct FilePool {
    /// The file that was used last stands at the end.
    open: RefCell<VecDeque<(u64, Rc<File>)>>,
    given: Cell<u64>,
}

/// A file of the pool.
pub struct PooledFile {
    pool: Rc<FilePool>,
    number: u64,
    identity: Identity,
    reopen: Box<Reopen>,
}

/// Opens the file of a name.
pub type Reopen = dyn Fn() -> Option<File>;

impl FilePool {
    pub fn add(self: &Rc<FilePool>, file: File, reopen: Box<Reopen>) -> Option<PooledFile> {
        let identity = Identity::of(&file)?;
        let number = self.given.get();
        self.given.set(number + 1);
        self.keep(number, Rc::new(file));
        Some(PooledFile { pool: self.clone(), number, identity, reopen })
    }

    /// Opens a regular file.
    pub fn open(self: &Rc<FilePool>, name: PathBuf) -> Option<PooledFile> {
        self.add(open_regular(&name)?, Box::new(move || open_regular(&name)))
    }

    fn keep(&self, number: u64, file: Rc<File>) {
        let mut open = self.open.borrow_mut();
        if open.len() >= MOST_OPEN {
            open.pop_front();
        }
        open.push_back((number, file));
    }

    fn find(&self, number: u64) -> Option<Rc<File>> {
        let mut open = self.open.borrow_mut();
        let at = open.iter().rposition(|(known, _)| *known == number)?;
        if at + 1 < open.len() {
            let found = open.remove(at)?;
            open.push_back(found);
        }
        open.back().map(|(_, file)| file.clone())
    }
}

impl PooledFile {
    fn file(&self) -> Option<Rc<File>> {
        self.pool.find(self.number).or_else(|| {
            let file = Rc::new((self.reopen)()?);
            if Identity::of(&file)? != self.identity {
                return None;
            }
            self.pool.keep(self.number, file.clone());
            Some(file)
        })
    }

    /// Reads exactly `len` bytes.
    pub fn read(&self, offset: u64, len: usize) -> Option<Vec<u8>> {
        let file = self.file()?;
        // The length may be made up. It must not cost memory. (A few bytes of code are read very often, and cost none.)
        if len > HARMLESS && offset.checked_add(len as u64)? > file.metadata().ok()?.len() {
            return None;
        }
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }
}

impl fmt::Debug for PooledFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PooledFile").field(&self.identity).finish()
    }
}

impl Drop for PooledFile {
    fn drop(&mut self) {
        self.pool.open.borrow_mut().retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::Scratch;

    #[test]
    fn files_are_closed_and_opened_again() {
        let scratch = Scratch::new("pool");
        let pool = Rc::new(FilePool::default());
        let files: Vec<_> = (0..3 * MOST_OPEN)
            .map(|i| {
                let name = scratch.path(&i.to_string());
                std::fs::write(&name, i.to_le_bytes()).unwrap();
                pool.open(name).unwrap()
            })
            .collect();
        for _ in 0..2 {
            for (i, file) in files.iter().enumerate() {
                assert_eq!(file.read(0, 8).as_deref(), Some(&i.to_le_bytes()[..]));
                assert!(pool.open.borrow().len() <= MOST_OPEN);
            }
        }
        // Another file has taken the name.
        std::fs::remove_file(scratch.path("0")).unwrap();
        std::fs::write(scratch.path("0"), [7; 8]).unwrap();
        assert_eq!(files[0].read(0, 8), None);
        // But an open file stays what it was.
        std::fs::remove_file(scratch.path("383")).unwrap();
        assert!(files[383].read(0, 8).is_some());
        drop(files);
        assert!(pool.open.borrow().is_empty());
    }
}
