//! The versions of Java that this machine has, found at run time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// The directories of each major version that has a compiler.
static FOUND: LazyLock<BTreeMap<u32, PathBuf>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    for compiler in candidates() {
        let Ok(output) = Command::new(&compiler).arg("-version").output() else { continue };
        // javac 17.0.15
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let version = text.lines().find_map(|line| line.strip_prefix("javac ")).unwrap_or_default();
        let Some(major) = version.split(['.', '-', '+']).next().and_then(|major| major.parse().ok()) else { continue };
        let Ok(compiler) = std::fs::canonicalize(&compiler) else { continue };
        if let Some(home) = compiler.parent().and_then(|programs| programs.parent()) {
            found.entry(major).or_insert(home.to_owned());
        }
    }
    found
});

/// The directory of a version, if this machine has one with a compiler.
pub fn of_version(major: u32) -> Option<&'static PathBuf> {
    FOUND.get(&major)
}

/// The compilers that are looked at: those that the shell finds, and those in the places where packages of Java are installed.
fn candidates() -> Vec<PathBuf> {
    let mut candidates = Vec::new();
    for directory in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        candidates.push(directory.join("javac"));
    }
    let home = |below: &str| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
    let roots =
        [Some("/usr/lib/jvm".into()), home(".sdkman/candidates/java"), Some("/opt/hostedtoolcache/Java".into())];
    for root in roots.into_iter().flatten() {
        for version in std::fs::read_dir(root).into_iter().flatten().flatten() {
            candidates.push(version.path().join("bin/javac"));
        }
    }
    candidates.retain(|candidate| candidate.is_file());
    candidates
}
