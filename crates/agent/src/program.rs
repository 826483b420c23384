//! The program `stride`.

use anyhow::{Context, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program `stride` that belongs to this agent.
pub fn found_stride() -> Result<PathBuf> {
    let own = std::env::current_exe().context("the path of stride-agent")?;
    let beside = own.with_file_name("stride");
    if is_program(&beside) {
        return Ok(beside);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&path).map(|dir| dir.join("stride"));
    all.find(|file| is_program(file))
        .context("no program stride lies beside stride-agent or in PATH: name it with --stride=PATH")
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The noun behind a number of tracers.
pub fn tracers(number: usize) -> &'static str {
    if number == 1 { "tracer" } else { "tracers" }
}
