//! The versions of PHP that this machine has, found at run time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The bytes of a word of usual builds, and of those of 32 bits.
pub const USUAL: u32 = 8;
pub const NARROW: u32 = 4;

/// The executables of PHP 8, by the bytes of their words and their minor versions.
static FOUND: LazyLock<BTreeMap<(u32, u32), PathBuf>> = LazyLock::new(|| {
    let mut found = BTreeMap::new();
    for candidate in candidates(&["php"], "php8.") {
        let program =
            "echo PHP_MAJOR_VERSION, ' ', PHP_MINOR_VERSION, ' ', PHP_INT_SIZE, ' ', (int) PHP_ZTS, ' ', PHP_SAPI;";
        let Ok(output) = Command::new(&candidate).args(["-r", program]).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let ["8", minor, word, "0", "cli"] = text.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        let (Ok(minor), Ok(word)) = (minor.parse(), word.parse()) else { continue };
        let Ok(path) = std::fs::canonicalize(&candidate) else { continue };
        found.entry((word, minor)).or_insert(path);
    }
    found
});

/// The executable of PHP 8 with this minor version and words of so many bytes, if this machine has one.
pub fn of_version(minor: u32, word: u32) -> Option<&'static PathBuf> {
    FOUND.get(&(word, minor))
}

/// The newest of all usual builds.
pub fn newest() -> Option<&'static PathBuf> {
    FOUND.range((USUAL, 0)..).map(|(_, path)| path).next_back()
}

/// A server of PHP for web servers.
pub fn fpm() -> Option<PathBuf> {
    candidates(&["php-fpm"], "php-fpm8.").into_iter().next()
}

/// True if the executable can compile functions (the JIT of opcache).
pub fn compiles(php: &Path) -> bool {
    let output = Command::new(php).args(["-r", "echo function_exists('opcache_get_status') ? 'yes' : 'no';"]).output();
    output.is_ok_and(|output| output.stdout == b"yes")
}

fn candidates(names: &[&str], numbered: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let further = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map(PathBuf::from);
    let mut candidates = Vec::new();
    for directory in std::env::split_paths(&path).chain(further) {
        candidates.extend(names.iter().map(|name| directory.join(name)));
        candidates.extend((0..10).map(|minor| directory.join(format!("{numbered}{minor}"))));
    }
    candidates.retain(|candidate| candidate.is_file());
    candidates
}
