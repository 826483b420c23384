//! `cargo xtask docs`: writes the files that are made from the tables of options and of syscalls, and the table of kernels (`kernels.rs`).
//!
//! The tables are in the `stride` program, which prints them. A test of the program fails if a committed file differs.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: [(&str, &str); 6] = [
    ("advise-config", "docs/advise.toml"),
    ("json-schema", "docs/json.schema.json"),
    ("man", "docs/stride.1"),
    ("complete-bash", "completions/stride.bash"),
    ("complete-fish", "completions/stride.fish"),
    ("complete-zsh", "completions/_stride"),
];

/// The reference of system calls: a page for each family.
const SYSCALLS: &str = "docs/syscalls";

pub fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies outside a workspace")?;
    for (artefact, path) in FILES {
        write(&root.join(path), &generate(root, artefact)?)?;
    }
    let directory = root.join(SYSCALLS);
    if directory.exists() {
        fs::remove_dir_all(&directory).with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    let pages = generate(root, "syscalls")?;
    // A form feed and the name of its file precede each page.
    for page in pages.split('\x0c').filter(|page| !page.is_empty()) {
        let (name, text) = page.split_once('\n').context("a page of the reference has no name")?;
        write(&directory.join(name), text)?;
    }
    crate::kernels::run()
}

/// The output of `stride --generate`.
fn generate(root: &Path, artefact: &str) -> Result<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["run", "--quiet", "--package", "stride-cli", "--", "--generate", artefact])
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "stride --generate {artefact} failed: {}; make it build first",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).with_context(|| format!("stride --generate {artefact} printed no UTF-8"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
