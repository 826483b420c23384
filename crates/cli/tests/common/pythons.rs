//! The interpreters of Python that this machine has, found at run time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// How Python was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Build {
    Usual,
    /// Free-threaded: it has no global lock.
    WithoutLock,
    /// A program of 32 bits.
    Narrow,
}

/// The executables of each minor version of Python 3. Distributions and builders of their own compile in different ways, so there may be several of a version.
static FOUND: LazyLock<BTreeMap<(u32, Build), Vec<PathBuf>>> = LazyLock::new(|| {
    let mut found: BTreeMap<(u32, Build), Vec<PathBuf>> = BTreeMap::new();
    for candidate in candidates() {
        let program = "import sys; print('%d %d %s %d %d' % (*sys.version_info[:2], sys.executable, hasattr(sys, '_is_gil_enabled') and not sys._is_gil_enabled(), sys.maxsize < 2**32))";
        let Ok(output) = Command::new(candidate).args(["-I", "-c", program]).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let words: Vec<_> = text.split_whitespace().collect();
        let ["3", minor, path, without_lock, narrow] = words[..] else { continue };
        let build = match (without_lock, narrow) {
            ("0", "0") => Build::Usual,
            (_, "0") => Build::WithoutLock,
            _ => Build::Narrow,
        };
        let (Ok(minor), Ok(path)) = (minor.parse(), std::fs::canonicalize(path)) else { continue };
        let versions = found.entry((minor, build)).or_default();
        if !versions.contains(&path) {
            versions.push(path);
        }
    }
    found
});

/// The executables of a version. Empty if this machine has none.
pub fn of_version(minor: u32, build: Build) -> &'static [PathBuf] {
    FOUND.get(&(minor, build)).map_or(&[], |paths| paths)
}

/// The executables that are looked at: those that the shell finds, and those in the places where tools that build Pythons put them.
fn candidates() -> Vec<PathBuf> {
    let in_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let mut candidates = Vec::new();
    for directory in in_path.into_iter().flatten().chain(["/usr/bin".into(), "/usr/local/bin".into()]) {
        candidates.push(directory.join("python3"));
        candidates.extend((6..20).map(|minor| directory.join(format!("python3.{minor}"))));
    }
    let home = |below: &str| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or_else(|| home(".pyenv"));
    let roots = [pyenv.map(|root| root.join("versions")), Some("/opt/hostedtoolcache/Python".into())];
    for root in roots.into_iter().flatten() {
        for version in std::fs::read_dir(root).into_iter().flatten().flatten() {
            candidates.extend(["bin/python3", "x64/bin/python3"].map(|below| version.path().join(below)));
        }
    }
    candidates.retain(|candidate| candidate.is_file());
    candidates
}
