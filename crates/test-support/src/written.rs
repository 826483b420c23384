//! A destination whose contents a test can look at.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Keeps the written pieces up to a number of bytes; then the disk is full. Clones share the contents.
#[derive(Clone)]
pub struct Disk {
    written: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Default for Disk {
    fn default() -> Disk {
        Disk::of(usize::MAX)
    }
}

impl Disk {
    pub fn of(room: usize) -> Disk {
        Disk { written: Arc::default(), room }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.written.lock().unwrap().clone()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes()).expect("UTF-8")
    }
}

impl Write for Disk {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut written = self.written.lock().unwrap();
        if piece.len() > self.room - written.len() {
            return Err(io::Error::from_raw_os_error(28));
        }
        written.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
