//! Stacks as text shows them (`-k`), and the programs in `tests/stacks/`.

use super::{Scratch, whole};
use regex::Regex;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// A frame as text shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The file's name without its directory.
    pub module: String,
    pub symbol: String,
    pub address: u64,
    pub source: String,
}

pub fn frame(line: &str) -> Option<Frame> {
    static FORM: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^ > ([^(]*)\((.*?)(?:\+0x[0-9a-f]+)?\) \[0x([0-9a-f]+)\] ?(.*)$").unwrap());
    let parts = FORM.captures(line)?;
    Some(Frame {
        module: parts[1].rsplit('/').next().unwrap_or_default().into(),
        symbol: parts[2].into(),
        address: u64::from_str_radix(&parts[3], 16).ok()?,
        source: parts[4].into(),
    })
}

/// The stacks behind the lines that contain `text`. A stack that ends with something else than a frame fails the test.
pub fn stacks(trace: &str, text: &str) -> Vec<Vec<Frame>> {
    behind(trace, text, |line| Some(frame(line).unwrap_or_else(|| panic!("no frame: {line}\n{trace}"))))
}

/// The same, of stacks whose end may be unknown.
pub fn known_frames(trace: &str, text: &str) -> Vec<Vec<Frame>> {
    behind(trace, text, frame)
}

fn behind(trace: &str, text: &str, frame: impl Fn(&str) -> Option<Frame>) -> Vec<Vec<Frame>> {
    let mut all = Vec::new();
    // The stack of a call that is cut in two is behind the call's end.
    let trace = whole(trace);
    let mut lines = trace.lines().peekable();
    while let Some(line) = lines.next() {
        if line.contains(text) {
            let stack = std::iter::from_fn(|| lines.next_if(|line| line.starts_with(" > ")));
            all.push(stack.filter_map(&frame).collect());
        }
    }
    all
}

/// The functions in `module`, the outermost last.
pub fn functions<'s>(stack: &'s [Frame], module: &str) -> Vec<&'s str> {
    stack.iter().filter(|frame| frame.module == module).map(|frame| frame.symbol.as_str()).collect()
}

/// Compiles a program to `scratch/program`. Returns false if this machine cannot.
pub fn compiled(scratch: &Scratch, source: &str, options: &[&str]) -> bool {
    built(&scratch.path("program"), source, options)
}

pub fn built(to: &Path, source: &str, options: &[&str]) -> bool {
    built_by(if source.ends_with(".cpp") { "c++" } else { "cc" }, to, source, options)
}

fn built_by(compiler: &str, to: &Path, source: &str, options: &[&str]) -> bool {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stacks");
    let mut command = Command::new(compiler);
    command.args(["-w", "-o"]).arg(to).arg(directory.join(source)).args(options);
    command.output().is_ok_and(|output| output.status.success())
}

/// Compiles a program for i386 to `scratch/program`. The error says why this machine cannot compile or run such
/// programs.
pub fn i386(scratch: &Scratch, source: &str, options: &[&str]) -> Result<(), String> {
    /// The directory of the C library of Debian's cross compiler.
    const LIBRARIES: &str = "/usr/i686-linux-gnu/lib";
    let program = scratch.path("program");
    let (loader, libraries) = (format!("-Wl,-I{LIBRARIES}/ld-linux.so.2"), format!("-Wl,-rpath,{LIBRARIES}"));
    let linked: &[&str] = if options.contains(&"-static") { &[] } else { &[&loader, &libraries] };
    if !built_by("i686-linux-gnu-gcc", &program, source, &[options, linked].concat()) {
        return Err("no compiler for i386 (gcc-i686-linux-gnu, libc6-dev-i386-cross)".into());
    }
    let ran = Command::new(&program).output();
    ran.map(drop).map_err(|error| format!("this kernel runs no 32-bit programs: {error}"))
}

/// Compiles a program to `scratch/program`, or skips the test.
macro_rules! compile {
    ($scratch:expr, $source:expr, $options:expr) => {
        if !$crate::common::stacks::compiled($scratch, $source, $options) {
            skip!("no compiler for this");
        }
    };
}
pub(crate) use compile;
