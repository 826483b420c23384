//! The order of the crates. The row of crates in ARCHITECTURE.md says which crates are to the left of which, and a
//! crate uses only crates to its left.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates that only tests use, with the crate that stands at their place in the row.
const FOR_TESTS: &[(&str, &str)] = &[("test-support", "decode")];

/// Crates that do not use all crates to their left, each with the ones that they leave alone, and why.
const LEAVES_ALONE: &[(&str, &[&str], &str)] = &[(
    "cli",
    &["broker", "decode", "engine-ptrace", "proc", "record", "stacks", "track"],
    "the program knows options and views; calls are decoded, followed and recorded in the session",
)];

/// The crates that use the generated facts. All others get them from the description, which holds for every ABI.
const USERS_OF_UAPI: &[&str] = &["syscalls", "decode", "cli"];

/// Each crate of the row, with all crates to its left.
pub struct Layers(BTreeMap<String, BTreeSet<String>>);

pub fn read(root: &Path) -> Result<Layers> {
    let text = fs::read_to_string(root.join("ARCHITECTURE.md"))?;
    let row = text.lines().find(|line| line.starts_with("uapi ←")).context("ARCHITECTURE.md has no row of crates")?;
    Layers::parse(row)
}

impl Layers {
    /// A row is crates with arrows between them. Crates in braces, with commas between them, do not use each other.
    fn parse(row: &str) -> Result<Layers> {
        let spaced =
            ["←", "{", "}", ","].iter().fold(row.to_owned(), |row, mark| row.replace(mark, &format!(" {mark} ")));
        let mut layers = Layers(BTreeMap::new());
        let mut words = spaced.split_whitespace().peekable();
        layers.chain(&mut words, &BTreeSet::new())?;
        ensure!(words.next().is_none(), "the row of crates has a brace too many");
        for (name, place) in FOR_TESTS {
            let left = layers.0.get(*place).cloned().unwrap_or_default();
            layers.0.insert((*name).to_owned(), left);
        }
        Ok(layers)
    }

    /// Takes crates with arrows between them, up to a comma or a closing brace, and returns their names.
    fn chain<'w>(
        &mut self,
        words: &mut std::iter::Peekable<impl Iterator<Item = &'w str>>,
        left: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>> {
        let mut left = left.clone();
        let mut names = BTreeSet::new();
        loop {
            let mut here = BTreeSet::new();
            match words.next().context("the row of crates ends with an arrow")? {
                "{" => loop {
                    here.append(&mut self.chain(words, &left)?);
                    match words.next() {
                        Some(",") => {}
                        Some("}") => break,
                        other => anyhow::bail!("the row of crates has {other:?} where a brace should end"),
                    }
                },
                name => {
                    let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                    ensure!(is_name, "the row of crates has {name:?} in place of a crate");
                    ensure!(
                        self.0.insert(name.to_owned(), left.clone()).is_none(),
                        "the row of crates has {name} twice"
                    );
                    here.insert(name.to_owned());
                }
            }
            left.extend(here.iter().cloned());
            names.append(&mut here);
            if words.next_if_eq(&"←").is_none() {
                return Ok(names);
            }
        }
    }

    /// Why a crate must not use another, or `None` if it may.
    fn objection(&self, name: &str, used: &str) -> Option<String> {
        if !self.0.get(name)?.contains(used) {
            return Some("which is not to its left in ARCHITECTURE.md".into());
        }
        if used == "uapi" && !USERS_OF_UAPI.contains(&name) {
            return Some("whose facts it gets from stride-syscalls".into());
        }
        let (_, _, why) = LEAVES_ALONE.iter().find(|(who, alone, _)| *who == name && alone.contains(&used))?;
        Some(format!("but {why}"))
    }

    /// Adds a line for each crate that is used against the order. Tests may use any crate, so dev-dependencies are left out.
    pub fn check(&self, dir: &Path, name: &str, wrong: &mut Vec<String>) -> Result<()> {
        if !self.0.contains_key(name) {
            wrong.push(format!("crates/{name} is not in the row of crates in ARCHITECTURE.md"));
        }
        let manifest = dir.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
        for used in dependencies(&text) {
            if let Some(objection) = self.objection(name, used) {
                wrong.push(format!("crates/{name} depends on stride-{used}, {objection}"));
            }
        }
        Ok(())
    }
}

/// The crates of the workspace among the dependencies of a manifest.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut section = "";
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            section = line;
        }
        let used = line.strip_prefix("stride-").filter(|_| section == "[dependencies]")?;
        used.split(['.', ' ', '=']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(row: &str) -> Layers {
        Layers::parse(row).unwrap()
    }

    #[test]
    fn a_crate_uses_crates_to_its_left() {
        let layers = layers("uapi ← syscalls ← { base ← { ptrace, ebpf } ← broker, decode } ← cli");
        for (name, used) in [("syscalls", "uapi"), ("ebpf", "base"), ("broker", "ptrace"), ("cli", "base")] {
            assert_eq!(layers.objection(name, used), None, "{name} {used}");
        }
        for (name, used) in
            [("uapi", "syscalls"), ("ptrace", "ebpf"), ("decode", "base"), ("base", "base"), ("base", "x")]
        {
            assert!(layers.objection(name, used).is_some_and(|why| why.contains("left")), "{name} {used}");
        }
        assert!(layers.objection("base", "uapi").is_some_and(|why| why.contains("stride-syscalls")));
        assert!(layers.objection("cli", "decode").is_some_and(|why| why.contains("session")));
    }

    #[test]
    fn rows_with_mistakes_are_refused() {
        for row in ["uapi ←", "uapi ← { a, b", "uapi ← a }", "uapi ← a ← a", "uapi ← ← a", "uapi ← { }"]
        {
            assert!(Layers::parse(row).is_err(), "{row}");
        }
    }

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let manifest = "[dependencies]\nstride-a.workspace = true\nstride-b = { path = \"../b\" }\n[dev-dependencies]\nstride-c.workspace = true\n";
        assert_eq!(dependencies(manifest).collect::<Vec<_>>(), ["a", "b"]);
    }
}
