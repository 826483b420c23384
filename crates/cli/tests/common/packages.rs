//! Packages of languages that a test needs, installed once below target/ by the language's own tool.
#![allow(dead_code)] // Each test uses its part.

use crate::common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory with the packages of this name, which the command installs there. The name has their versions, so that a change of them makes a new directory. If they
/// cannot be installed, the text says why.
pub fn installed(name: &str, install: impl FnOnce(&Path) -> Command) -> Result<PathBuf, String> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let complete = place.join("complete");
    if complete.exists() {
        return Ok(place);
    }
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    let mut command = install(&place);
    let done = command.env_remove("LD_LIBRARY_PATH").output();
    let done = done.map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    if !done.status.success() {
        let said = [text(&done.stdout), text(&done.stderr)].concat();
        return Err(format!("{name} cannot be installed: {}", said.lines().last().unwrap_or_default()));
    }
    std::fs::write(complete, "").unwrap();
    Ok(place)
}

/// Debian's packages of these names, unpacked below a directory and not installed, together with those of which they need files and that this machine lacks.
pub fn of_debian(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    const UNPACK: &str = r#"
        mkdir -p "$0/archives/partial" &&
        apt-get install --download-only --reinstall --yes --no-install-recommends -qq \
            -o Debug::NoLocking=1 -o Dir::Cache::Archives="$0/archives" "$@" </dev/null &&
        for package in "$0"/archives/*.deb; do dpkg-deb -x "$package" "$0" || exit; done
        rm -r "$0/archives"
    "#;
    installed(name, |place| {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", UNPACK])
            .arg(place)
            .args(packages)
            .env("LC_ALL", "C")
            .env("DEBIAN_FRONTEND", "noninteractive");
        shell
    })
}
