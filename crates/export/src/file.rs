//! Metrics in a file, in Prometheus' text format. It is always a whole one: a new file takes its place.

use crate::formats::Format;
use crate::periodic::Task;
use crate::shared::SharedRegistry;
use nix::errno::Errno;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stride_output::own_file;

const EVERY: Duration = Duration::from_secs(10);

pub struct FileTask {
    path: PathBuf,
    metrics: SharedRegistry,
}

impl FileTask {
    pub fn new(path: PathBuf, metrics: SharedRegistry) -> FileTask {
        FileTask { path, metrics }
    }
}

impl Task for FileTask {
    type Result = io::Result<()>;

    fn first_wait(&self) -> Duration {
        EVERY
    }

    fn again(&mut self) -> Duration {
        // If that fails, the last time does so, too, and says so.
        let _ = write(&self.path, &self.metrics);
        EVERY
    }

    fn last(self) -> io::Result<()> {
        write(&self.path, &self.metrics)
    }
}

fn write(path: &Path, metrics: &SharedRegistry) -> io::Result<()> {
    let (mut file, name) = own_file::create(&temporary(path), 1)?;
    let written = file.write_all(&Format::Text.write(&metrics.read())).and_then(|()| fs::rename(&name, path));
    if written.is_err() {
        let _ = fs::remove_file(&name);
    }
    written
}

/// Tries whether the file can be made.
pub fn check(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(Errno::EISDIR.into());
    }
    let (_, probe) = own_file::create(&temporary(path), 1)?;
    fs::remove_file(probe)
}

/// (Readers of directories of metrics take files whose names end in .prom.)
fn temporary(path: &Path) -> PathBuf {
    own_file::numbered(path, std::process::id())
}
