//! `--budget`, `--budget-write`: the files with limits.

use super::scope::CallScope;
use crate::os_error;
use crate::run::Before;
use anyhow::{Result, anyhow, bail};
use std::io::Read;
use std::path::Path;
use stride_compare::{Budget, MARK, Mistake};

fn cannot(what: &str, path: &Path, why: &str) -> anyhow::Error {
    anyhow!("Can't {what} the budget '{}': {why}", path.display())
}

/// Reads a budget, and checks that this run sees all calls that the limits are about.
pub fn read(path: &Path, before: &Before<'_>) -> Result<Budget> {
    // Budgets are written by hand. A larger file is something else.
    const MOST: u64 = 1 << 20;
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| cannot("read", path, &os_error(&e)))?;
    file.take(MOST + 1).read_to_end(&mut text).map_err(|e| cannot("read", path, &os_error(&e)))?;
    if text.len() as u64 > MOST {
        return Err(cannot("read", path, "the file is larger than 1 MiB, which is too large for a budget"));
    }
    let text = String::from_utf8(text)
        .map_err(|_| cannot("read", path, "the file is not text in UTF-8, so it cannot be TOML"))?;
    let all = |mistakes: Vec<Mistake>| anyhow!(mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"));
    let budget = Budget::parse(&path.display().to_string(), &text).map_err(all)?;
    if let Some(scope) = CallScope::of_this_run(before) {
        let blind: Vec<Mistake> =
            budget.limits().iter().filter_map(|limit| Some(budget.mistake(limit, scope.hides(limit)?))).collect();
        if !blind.is_empty() {
            return Err(all(blind));
        }
    }
    Ok(budget)
}

/// Refuses to overwrite a file that somebody wrote by hand.
pub fn replaceable(path: &Path) -> Result<()> {
    let mut start = Vec::new();
    if let Ok(file) = std::fs::File::open(path)
        && file.metadata().is_ok_and(|m| m.is_file())
    {
        let _ = file.take(MARK.len() as u64).read_to_end(&mut start);
    }
    if start.is_empty() || start == MARK.as_bytes() {
        return Ok(());
    }
    bail!(
        "'{}' is not replaced: the file exists, and --budget-write did not write it, or its first line was taken out. \
         Give another name, or delete the file first",
        path.display()
    );
}
