//! Runs the calls under a tracer, and takes the line of each.

use crate::arena::{ARENA, HOLE, STRETCH};
use crate::made::MadeCall;
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program with options that trace.
pub struct Tracer {
    name: String,
    command: Vec<String>,
    /// Sees the beginning of a call that a seccomp filter answers. The eBPF engine does not, because the kernel tells tracepoints of such calls only when they return.
    pub(crate) sees_entries: bool,
}

impl Tracer {
    /// The tracer of this command, whose words have no spaces. Its output has the number in its name.
    pub fn new(number: usize, command: &str) -> Option<Tracer> {
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let sees_entries = !command.iter().any(|word| word == "--engine=ebpf");
        (!command.is_empty()).then(|| Tracer { name: number.to_string(), command, sees_entries })
    }
}

/// The call that the player makes before each other one, with the number of that as its second argument. The kernel refuses this one.
const MARK: &str = "getpriority(0x5712de";

/// How the line of a call begins at which the tracer ended.
pub const ENDED: &str = "the tracer ended with ";

/// The program that makes the calls, compiled.
pub struct Player {
    directory: tempfile::TempDir,
    program: PathBuf,
}

impl Player {
    pub fn new() -> Result<Player> {
        let directory = tempfile::tempdir()?;
        let (source, program) = (directory.path().join("player.c"), directory.path().join("player"));
        fs::write(&source, include_str!("player.c"))?;
        let compiled = Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source).status();
        ensure!(compiled.context("running cc, the C compiler")?.success(), "player.c could not be compiled");
        Ok(Player { directory, program })
    }

    /// The lines of the calls under this tracer, by the calls' places in the row.
    pub fn lines(&self, calls: &[MadeCall], tracer: &Tracer) -> Result<HashMap<usize, String>> {
        let (file, out) = (self.directory.path().join("calls"), self.directory.path().join(&tracer.name));
        fs::write(&file, written(calls))?;
        let _ = fs::remove_file(&out);
        let mut command = Command::new(&tracer.command[0]);
        command.args(&tracer.command[1..]).arg("-o").arg(&out).arg(&self.program).arg(&file);
        command.args([ARENA, calls.len() as u64, STRETCH, HOLE].map(|n| n.to_string()));
        let ran = command.stdin(Stdio::null()).output().with_context(|| format!("running {}", tracer.command[0]))?;
        let text =
            fs::read(&out).with_context(|| format!("{}: {}", out.display(), String::from_utf8_lossy(&ran.stderr)))?;
        let mut lines = by_mark(&String::from_utf8_lossy(&text));
        if !ran.status.success() {
            // The tracer ended with this call, and there are no lines of those behind it.
            let last = lines.keys().copied().max().unwrap_or(0);
            let why = String::from_utf8_lossy(&ran.stderr);
            let why = why.lines().last().unwrap_or_default();
            let end = format!("{ENDED}{}: {why}: {}", ran.status, lines.remove(&last).unwrap_or_default());
            lines.insert(last, end);
        }
        Ok(lines)
    }
}

/// The calls as the player reads them.
fn written(calls: &[MadeCall]) -> Vec<u8> {
    let pieces: Vec<_> = calls.iter().flat_map(|call| &call.stretch.pieces).collect();
    let mut out = Vec::new();
    let mut word = |word: u64, bytes: &[u8]| {
        out.extend_from_slice(&word.to_le_bytes());
        if !bytes.is_empty() {
            out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            out.extend_from_slice(bytes);
            out.resize(out.len().next_multiple_of(8), 0);
        }
    };
    word(calls.len() as u64, &[]);
    word(pieces.len() as u64, &[]);
    for (at, bytes) in pieces {
        word(*at, bytes);
    }
    for call in calls {
        word(call.entry.nr.into(), &[]);
        call.args.iter().for_each(|arg| word(*arg, &[]));
        word(call.result as u64, &[]);
    }
    out
}

fn by_mark(text: &str) -> HashMap<usize, String> {
    let mut lines: HashMap<usize, String> = HashMap::new();
    let mut at = None;
    for line in text.lines() {
        if line.starts_with(MARK) {
            at = line.split(", ").nth(1).and_then(|rest| rest.split(')').next()).and_then(|n| n.parse().ok());
        } else if let Some(at) = at {
            // More than one line means that a line was cut, or that a signal came.
            let of_call = lines.entry(at).or_default();
            if !of_call.is_empty() {
                of_call.push('\n');
            }
            of_call.push_str(line);
        }
    }
    lines
}
