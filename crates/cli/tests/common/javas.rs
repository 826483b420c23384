//! The versions of Java that this machine has, found at run time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The programs `java` and `javac` of each major version.
static JAVA: LazyLock<BTreeMap<u32, PathBuf>> = LazyLock::new(|| found("java"));
static COMPILER: LazyLock<BTreeMap<u32, PathBuf>> = LazyLock::new(|| found("javac"));

/// The program that runs Java, if this machine has this version, and a compiler whose classes it can run.
pub fn of_version(major: u32) -> Option<&'static PathBuf> {
    compiler_for(major)?;
    JAVA.get(&major)
}

/// The program that runs Java, if this machine has this version, and a compiler for all of this version.
pub fn with_compiler_to(major: u32) -> Option<&'static PathBuf> {
    compiler_to(major)?;
    JAVA.get(&major)
}

/// The compiler of this version or of the next older one.
pub fn compiler_for(major: u32) -> Option<&'static PathBuf> {
    COMPILER.range(..=major).next_back().map(|(_, compiler)| compiler)
}

/// The compiler of this version, or of a newer one that can compile for this version, with the options for that.
pub fn compiler_to(major: u32) -> Option<(&'static PathBuf, [String; 2])> {
    let (_, compiler) = COMPILER.range(major..).next()?;
    Some((compiler, ["--release".to_owned(), major.to_string()]))
}

/// The programs of this name: those that the shell finds, and those in the places where packages of Java are installed.
fn found(name: &str) -> BTreeMap<u32, PathBuf> {
    let mut candidates = Vec::new();
    for directory in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        candidates.push(directory.join(name));
    }
    let home = |below: &str| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
    let roots =
        [Some("/usr/lib/jvm".into()), home(".sdkman/candidates/java"), Some("/opt/hostedtoolcache/Java".into())];
    for root in roots.into_iter().flatten() {
        for version in std::fs::read_dir(root).into_iter().flatten().flatten() {
            candidates.push(version.path().join("bin").join(name));
        }
    }
    let mut found = BTreeMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.is_file()) {
        if let (Some(major), Ok(path)) = (major(candidate), std::fs::canonicalize(candidate)) {
            found.entry(major).or_insert(path);
        }
    }
    found
}

/// The major version: 17 of `javac 17.0.15` and of `openjdk version "17.0.15" 2025-04-15`.
fn major(program: &Path) -> Option<u32> {
    let output = Command::new(program).arg("-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let word = text
        .split_whitespace()
        .map(|word| word.trim_matches('"'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    word.split(['.', '-', '+']).next()?.parse().ok()
}
