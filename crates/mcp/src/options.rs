//! The command line.

use crate::answer;
use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const HELP: &str = "\
Usage: stride-mcp [OPTIONS]

Serves a client that speaks the Model Context Protocol over stdin and stdout: traces commands with Stride, and answers
questions about the recordings. A client starts it; docs/mcp.md tells how to set that up.

Options:
  --stride=PATH       Run this stride. Default: the one beside stride-mcp, else the one in PATH.
  --recordings=DIR    Keep recordings in DIR, also after the end, and show those that are there. Default: a private
                      directory below $XDG_RUNTIME_DIR or /tmp, which is removed at the end.
  --allow-attach      Let the client trace processes that run already. Default: it may trace only what it starts.
  --allow-read=DIR    Let the client open recordings in DIR and below. May be repeated. Default: only its own.
  --no-redact         Show passwords, tokens and keys. Default: they are replaced by stars.
  --duckdb=PATH       Ask this DuckDB for answers in SQL: the command duckdb, or a Python that has the module duckdb.
                      Default: duckdb in PATH, else python3.
  --answer-bytes=N    Bound each answer to N bytes of text. Default: 16384.
  -h, --help          Print this.
  -V, --version       Print the version.
";

#[derive(Debug)]
pub struct Options {
    pub stride: PathBuf,
    pub recordings: Option<PathBuf>,
    pub allow_attach: bool,
    /// Without links: the real directories.
    pub allow_read: Vec<PathBuf>,
    pub redact: bool,
    pub duckdb: Option<PathBuf>,
    pub answer_bytes: usize,
}

impl Options {
    /// `None`: the options asked for something that was printed.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Option<Options>> {
        let (mut stride, mut recordings, mut duckdb) = (None, None, None);
        let (mut allow_attach, mut redact) = (false, true);
        let mut allow_read = Vec::new();
        let mut answer_bytes = answer::DEFAULT_BYTES;
        let mut parser = lexopt::Parser::from_iter(args);
        while let Some(arg) = parser.next()? {
            match arg {
                Long("stride") => stride = Some(PathBuf::from(parser.value()?)),
                Long("recordings") => recordings = Some(PathBuf::from(parser.value()?)),
                Long("allow-attach") => allow_attach = true,
                Long("allow-read") => {
                    let dir = PathBuf::from(parser.value()?);
                    let real = dir.canonicalize().with_context(|| format!("--allow-read={}", dir.display()))?;
                    if !real.is_dir() {
                        bail!(
                            "--allow-read={}: that is not a directory: name the one that has the recordings",
                            dir.display()
                        );
                    }
                    allow_read.push(real);
                }
                Long("no-redact") => redact = false,
                Long("duckdb") => duckdb = Some(PathBuf::from(parser.value()?)),
                Long("answer-bytes") => answer_bytes = parser.value()?.parse()?,
                Short('h') | Long("help") => {
                    print!("{HELP}");
                    return Ok(None);
                }
                Short('V') | Long("version") => {
                    println!("stride-mcp {}", env!("CARGO_PKG_VERSION"));
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        if answer_bytes < answer::LEAST_BYTES {
            bail!(
                "--answer-bytes={answer_bytes}: an answer needs {} bytes at least: give a larger number",
                answer::LEAST_BYTES
            );
        }
        let stride = match stride {
            Some(path) if path.is_file() => path,
            Some(path) => bail!("--stride={}: there is no such file: name the program stride", path.display()),
            None => found_stride()?,
        };
        Ok(Some(Options { stride, recordings, allow_attach, allow_read, redact, duckdb, answer_bytes }))
    }
}

/// The program `stride` that belongs to this server.
fn found_stride() -> Result<PathBuf> {
    let own = std::env::current_exe().context("the path of stride-mcp")?;
    let beside = own.with_file_name("stride");
    if beside.is_file() {
        return Ok(beside);
    }
    in_path("stride").context("no program stride lies beside stride-mcp or in PATH: name it with --stride=PATH")
}

/// The first file of this name in the directories of PATH.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
