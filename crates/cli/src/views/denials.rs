//! `--explain-denial`: the log of the kernel in the light of evidence. Nothing is run or traced.

use super::given_file::GivenFile;
use super::harden::{WITH, evidence_in};
use anyhow::{Result, bail};
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use stride_output::{HardenFormat, explain_denials};
use stride_session::{Options, os_error};

const EXPLAIN: &str = "explain-denial";
const MOST_MIB: u64 = 64;

/// True if a log is to be explained.
pub fn is_asked(options: &Options) -> bool {
    options.views.has(EXPLAIN)
}

/// Explains the log, and returns the exit status.
pub fn run(options: &Options) -> Result<i32> {
    if options.command.is_some() || !options.spec.attach.is_empty() || options.replay.is_some() {
        bail!("--{EXPLAIN} reads a log and traces nothing: leave PROG, -p and --replay out");
    }
    if let Some(other) = options.typed.iter().find(|option| !option.is_any(&[EXPLAIN, WITH])) {
        let words: Vec<_> = other.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        bail!("--{EXPLAIN} reads a log and traces nothing, so {} has no place there: leave it out", words.join(" "));
    }
    let (Some(log), Some(with)) = (options.views.path(EXPLAIN), options.views.path(WITH)) else {
        bail!("--{EXPLAIN} compares a log with what runs needed: add --{WITH}=FILE, which --harden=json wrote");
    };
    let evidence = evidence_in(with, HardenFormat::Json)?;
    let text = explain_denials(&log_in(log)?, &evidence);
    // A reader that closes the pipe early is no error.
    let _ = stdout().write_all(text.as_bytes());
    Ok(0)
}

fn log_in(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        return GivenFile { path, contents: "the log", most_mib: MOST_MIB }.read();
    }
    let mut log = Vec::new();
    if let Err(error) = stdin().take((MOST_MIB << 20) + 1).read_to_end(&mut log) {
        bail!("Can't read the log from standard input: {}", os_error(&error));
    }
    if log.len() as u64 > MOST_MIB << 20 {
        bail!("Can't read the log from standard input: it is larger than {MOST_MIB} MiB; give the latest part of it");
    }
    Ok(log)
}
