//! The versions of Node that this machine has, found at run time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// The executables of each major version.
static FOUND: LazyLock<BTreeMap<u32, PathBuf>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    for candidate in candidates() {
        let Ok(output) = Command::new(&candidate).arg("--version").output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        // v20.11.1
        let major = text.trim().strip_prefix('v').and_then(|version| version.split('.').next()?.parse().ok());
        let (Some(major), Ok(path)) = (major, std::fs::canonicalize(&candidate)) else { continue };
        found.entry(major).or_insert(path);
    }
    found
});

/// The executable of a version, if this machine has one.
pub fn of_version(major: u32) -> Option<&'static PathBuf> {
    FOUND.get(&major)
}

/// The executables that are looked at: those that the shell finds, and those in the places where tools that install versions of Node put them.
fn candidates() -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    for directory in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        candidates.extend(["node", "nodejs"].map(|name| directory.join(name)));
    }
    let home = |below: &str| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
    let roots = [home(".nvm/versions/node"), Some("/opt/hostedtoolcache/node".into())];
    for root in roots.into_iter().flatten() {
        for version in std::fs::read_dir(root).into_iter().flatten().flatten() {
            candidates.extend(["bin/node", "x64/bin/node"].map(|below| version.path().join(below)));
        }
    }
    candidates.retain(|candidate| candidate.is_file());
    candidates
}
