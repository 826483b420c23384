//! `cargo xtask kernels`: the table of docs/install.md that says what works on which kernel. scripts/test-kernels has tried each cell.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const RESULTS: &str = "tests/kernels/results";
const DOCUMENT: &str = "docs/install.md";
/// The lines around the table.
const BEGIN: &str = "<!-- The table is made by `cargo xtask kernels` from tests/kernels/results. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

/// The rows, each with the checks of tests/kernels/init, and the tests of the engines, that must pass.
const FEATURES: &[(&str, &[&str])] = &[
    (
        "`--engine=ptrace`, and the calls of `tests/syscalls/` under each engine that runs there",
        &["ptrace_engine", "syscalls"],
    ),
    (
        "`--engine=ebpf`: the same calls, with the same memory",
        &["both_engines_agree", "engines_agree", "engine", "nothing_lost"],
    ),
    ("execve(2)", &["exit_status", "no_such_program", "script", "no_function_tracing"]),
    ("signals, children, ends of processes", &["signals", "children", "engine_endings"]),
    ("`-p`, `--all`", &["attach", "engine_all"]),
    ("calls that block are shown while they do", &["blocked", "engine_blocked"]),
    ("`-c`, `-T`, `-ttt`", &["summary", "with_times"]),
    ("`-k`", &["stacks"]),
    ("`--waits`", &["waits"]),
    ("`--library-calls`", &["library_calls"]),
    ("`--io-uring`", &["io_uring"]),
    ("ids in PID namespaces", &["engine_namespaces"]),
    (
        "long runs watch the kernel's functions of the wanted calls",
        &["functions", "functions_attached", "functions_all"],
    ),
    ("`--secontext`", &["contexts"]),
];
/// Checks that no row tells of: those of the tests themselves.
const APART: &[&str] = &["engine_verified", "engines", "quiet_kernel", "too_old"];

/// The results on one kernel.
struct Tried {
    name: String,
    release: String,
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
    /// Why a check was left out.
    skipped: BTreeMap<String, String>,
}

impl Tried {
    fn parse(name: &str, text: &str) -> Option<Tried> {
        let (release, rest) = text.split_once('\n')?;
        let release = release.strip_prefix("Linux ")?.to_owned();
        let mut tried = Tried {
            name: name.to_owned(),
            release,
            passed: BTreeSet::new(),
            failed: BTreeSet::new(),
            skipped: BTreeMap::new(),
        };
        for line in rest.lines() {
            match line.split_once(": ")? {
                ("PASS", name) => _ = tried.passed.insert(name.to_owned()),
                ("FAIL", name) => _ = tried.failed.insert(name.to_owned()),
                ("skipped", rest) => {
                    let (names, why) = rest.split_once(": ")?;
                    tried.skipped.extend(names.split(", ").map(|name| (name.to_owned(), why.to_owned())));
                }
                _ => return None,
            }
        }
        Some(tried)
    }

    /// The heading of the kernel's column.
    fn heading(&self) -> String {
        let (name, machine) = self.name.strip_prefix("arm64-").map_or((&*self.name, ""), |name| (name, " aarch64"));
        format!("{}{machine}", name.replacen('+', " ", 1))
    }

    /// `yes`, `no`, `fails`, or nothing if it was not tried.
    fn cell(&self, checks: &[&str]) -> &'static str {
        let any = |set: &dyn Fn(&str) -> bool| checks.iter().any(|check| set(check));
        if any(&|check| self.failed.contains(check)) {
            "fails"
        } else if any(&|check| self.skipped.contains_key(check)) {
            "no"
        } else if checks.iter().all(|&check| self.passed.contains(check)) {
            "yes"
        } else {
            ""
        }
    }

    /// The reasons why rows have a `no`.
    fn reasons(&self) -> BTreeSet<&str> {
        let checks = FEATURES.iter().flat_map(|(_, checks)| *checks);
        checks.filter_map(|&check| self.skipped.get(check).map(String::as_str)).collect()
    }

    /// The order of the columns: by machine, then by release.
    fn order(&self) -> (bool, Vec<u32>, &str) {
        let series = self.name.trim_start_matches("arm64-").split('+').next().unwrap_or_default();
        let numbers = series.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect();
        (self.name.starts_with("arm64-"), numbers, &self.name)
    }
}

/// Writes the table.
pub fn run() -> Result<()> {
    let (path, text) = remade()?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The document, and its text with the table of the present results.
fn remade() -> Result<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies outside a workspace")?;
    let mut all = Vec::new();
    for entry in fs::read_dir(root.join(RESULTS)).context(RESULTS)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path)?;
        all.push(
            Tried::parse(&name, &text)
                .with_context(|| format!("{RESULTS}/{name} is not as scripts/test-kernels writes it"))?,
        );
    }
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    let path = root.join(DOCUMENT);
    let old = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let (before, rest) = old.split_once(BEGIN).with_context(|| format!("{DOCUMENT} has no place for the table"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{DOCUMENT} has no end of the table"))?;
    Ok((path, format!("{before}{BEGIN}{}{END}{after}", table(&all)?)))
}

fn table(all: &[Tried]) -> Result<String> {
    let told: BTreeSet<&str> = FEATURES.iter().flat_map(|(_, checks)| *checks).chain(APART).copied().collect();
    for tried in all {
        let untold: Vec<&String> =
            tried.passed.union(&tried.failed).filter(|name| !told.contains(name.as_str())).collect();
        ensure!(
            untold.is_empty(),
            "no row of the table has these checks of Linux {}: {untold:?} (FEATURES in kernels.rs)",
            tried.name
        );
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = String::from("\n");
    text += &line(std::iter::once("Linux".to_owned()).chain(all.iter().map(Tried::heading)).collect());
    text += &format!("|{}\n", "---|".repeat(1 + all.len()));
    for (feature, checks) in FEATURES {
        text += &line(
            std::iter::once((*feature).to_owned())
                .chain(all.iter().map(|tried| tried.cell(checks).to_owned()))
                .collect(),
        );
    }
    text += "\n";
    for tried in all {
        let reasons: Vec<&str> = tried.reasons().into_iter().collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        text += &format!("- {} is {}{reasons}.\n", tried.heading(), tried.release);
    }
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_of_the_present_results() {
        let (path, made) = remade().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), made, "{DOCUMENT} is stale: `cargo xtask kernels` makes it anew");
    }

    #[test]
    fn cells_say_what_was_tried() {
        let text = "Linux 6.1.0-1-cloud-amd64\nPASS: syscalls\nPASS: ptrace_engine\nFAIL: waits\nPASS: functions\n\
                    skipped: functions_attached, functions_all: why not\nskipped: syscalls::a: something\n";
        let tried = Tried::parse("arm64-6.1", text).unwrap();
        let cell = |word: &str| {
            let (_, checks) = FEATURES.iter().find(|(feature, _)| feature.contains(word)).unwrap();
            tried.cell(checks)
        };
        assert_eq!([cell("ptrace"), cell("--waits"), cell("functions"), cell("io-uring")], ["yes", "fails", "no", ""]);
        let table = table(&[tried]).unwrap();
        assert!(table.contains("| Linux | 6.1 aarch64 |\n"), "{table}");
        assert!(table.contains("- 6.1 aarch64 is 6.1.0-1-cloud-amd64: why not.\n"), "{table}");
        assert!(Tried::parse("6.1", "Linux 6.1\nnonsense\n").is_none());
        assert!(super::table(&[Tried::parse("6.1", "Linux 6.1\nPASS: unheard_of\n").unwrap()]).is_err());
    }
}
