//! The advice about a web server in a script that reads its settings again and again, by way of a package.

use crate::common::*;
use std::path::{Path, PathBuf};

/// A server of `tests/stacks/`.
pub struct WebServer<'a> {
    /// The program that runs the script.
    pub runtime: &'a Path,
    /// The script's file, and a text in the line that reads `settings.json`.
    pub script: &'a str,
    pub reads: &'a str,
    pub package: Package<'a>,
    pub advise: &'a str,
    /// Texts of which the advice has one, about the settings.
    pub told: &'a [&'a str],
}

/// Where the package is that the server's routes belong to.
pub enum Package<'a> {
    /// A file of it, and its contents.
    Written(&'a str, &'a str),
    /// The directory of packages, by this name, leads to those that are installed there.
    Installed(&'a str, PathBuf),
}

impl Package<'_> {
    fn place(&self, scratch: &Scratch) {
        match self {
            Package::Written(file, contents) => {
                let file = scratch.path(file);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, contents).unwrap();
            }
            Package::Installed(name, at) => std::os::unix::fs::symlink(at, scratch.path(name)).unwrap(),
        }
    }
}

/// So many runs may have functions that were gone before Stride looked, on a busy machine (docs/stacks.md).
const LATE_RUNS: usize = 4;

impl WebServer<'_> {
    /// Both engines name the script's own line.
    pub fn is_found_by_its_line(&self) {
        let script = root().join("tests/stacks").join(self.script);
        let source = std::fs::read_to_string(&script).unwrap();
        let line = 1 + source.lines().position(|line| line.contains(self.reads)).unwrap();
        let line = format!("settings ({}:{line})", self.script);
        for &engine in engines() {
            let named = (0..=LATE_RUNS).any(|late| {
                let trace = self.advice(engine, &script);
                let text = trace.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(self.told.iter().any(|told| text.contains(told)), "{engine}: {trace}");
                let named = text.contains(&line);
                assert!(named || text.contains(" is gone]") && late < LATE_RUNS, "{engine}: {trace}");
                named
            });
            assert!(named, "{engine}");
        }
    }

    fn advice(&self, engine: &str, script: &Path) -> String {
        let scratch = Scratch::new(&format!("{}{engine}", self.script));
        std::fs::write(scratch.path("settings.json"), r#"{"greeting": "hello"}"#).unwrap();
        self.package.place(&scratch);
        let directory = scratch.path("");
        let command = [self.runtime, script, &directory].map(|path| path.to_string_lossy().into_owned());
        let run = scratch.stride([engine, "-f", self.advise].map(str::to_owned).into_iter().chain(command));
        assert_eq!(run.code(), Some(0), "{engine}: {}", run.err);
        run.trace
    }
}
