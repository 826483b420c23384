//! Files that options name, and that are read whole.

use anyhow::{Error, Result, anyhow};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use stride_session::os_error;

/// A file that an option names.
pub struct GivenFile<'a> {
    pub path: &'a Path,
    /// For messages: `the thresholds in`.
    pub contents: &'static str,
    /// A larger file is none of its kind.
    pub most_mib: u64,
}

impl GivenFile<'_> {
    pub fn read(&self) -> Result<Vec<u8>> {
        let most = self.most_mib << 20;
        let mut bytes = Vec::new();
        let read = File::open(self.path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
        read.map_err(|error| self.io_error(&error))?;
        if bytes.len() as u64 > most {
            return Err(self.error(&format!("the file is larger than {} MiB", self.most_mib)));
        }
        Ok(bytes)
    }

    /// Says why the file cannot be read.
    pub fn error(&self, why: &str) -> Error {
        anyhow!("Can't read {} '{}': {why}", self.contents, self.path.display())
    }

    pub fn io_error(&self, error: &io::Error) -> Error {
        self.error(&os_error(error))
    }
}
