//! The licences of dependencies: each must leave Stride free to be used under MIT or Apache-2.0.
//!
//! Advisories are not checked here: their database cannot be had offline. `cargo audit` looks them up.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use spdx::{Expression, ParseMode};
use std::path::Path;
use std::process::Command;

/// Licences that ask for no more than a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub fn check(root: &Path, wrong: &mut Vec<String>) -> Result<()> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version=1", "--locked", "--filter-platform", &host]).current_dir(root);
    let output = command.output().context("cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        if let Err(why) = is_allowed(package["license"].as_str()) {
            wrong.push(format!(
                "the dependency {name} {why}: replace it, or say in xtask/src/check/licences.rs why it may be used"
            ));
        }
    }
    Ok(())
}

/// An error says why a licence is not allowed.
fn is_allowed(licence: Option<&str>) -> Result<(), String> {
    let Some(licence) = licence else { return Err("names no licence".into()) };
    // `MIT/Apache-2.0` is an older way to write OR.
    let expression =
        Expression::parse_mode(licence, ParseMode::LAX).map_err(|e| format!("has the licence {licence:?}: {e}"))?;
    let allowed = |name: &str| ALLOWED.contains(&name);
    if expression.evaluate(|asked| asked.license.id().is_some_and(|id| allowed(id.name))) {
        return Ok(());
    }
    Err(format!("has the licence {licence:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_that_are_allowed() {
        for licence in ["MIT", "MIT/Apache-2.0", "LGPL-2.1-only OR BSD-2-Clause", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            assert_eq!(is_allowed(Some(licence)), Ok(()), "{licence}");
        }
        for licence in ["GPL-3.0-only", "MIT AND LGPL-2.1-only", "Proprietary"] {
            assert!(is_allowed(Some(licence)).is_err(), "{licence}");
        }
        assert!(is_allowed(None).is_err());
    }
}
