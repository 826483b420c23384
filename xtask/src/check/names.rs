//! Syscalls that code tells apart by their names. Facts about a call belong on its row, as effects: a list of names
//! elsewhere misses the calls that its author did not think of, such as the 32-bit twins.

use super::source;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files that may compare names, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    ("advise/src/rules/epoll_files.rs", "is about epoll_ctl"),
    ("advise/src/rules/failed_connects.rs", "asks getsockopt how a connection went"),
    ("advise/src/rules/retries.rs", "asks getsockopt how a connection went"),
    ("advise/src/rules/heap_creep.rs", "is about brk"),
    ("advise/src/rules/madvise_storm.rs", "is about madvise"),
    ("advise/src/rules/small_sends.rs", "asks setsockopt how a connection sends"),
    ("cli/src/flags/table/tracing.rs", "-b takes the word execve"),
    ("cli/src/flags/truss.rs", "has the names that truss has for calls"),
    ("output/src/form/truss.rs", "has the name that truss has for a call"),
];

/// Syscalls whose names are also ordinary words. They count only where the name of a row is compared.
const WORDS: &[&str] = &[
    "accept",
    "access",
    "bind",
    "bpf",
    "break",
    "close",
    "connect",
    "exit",
    "fork",
    "idle",
    "ipc",
    "kill",
    "link",
    "listen",
    "lock",
    "mount",
    "open",
    "pause",
    "personality",
    "pipe",
    "poll",
    "ptrace",
    "read",
    "rename",
    "seccomp",
    "select",
    "send",
    "signal",
    "socket",
    "stat",
    "swap",
    "sync",
    "time",
    "times",
    "truncate",
    "write",
];

/// Adds a line for each name that a crate compares.
pub fn check(dir: &Path, name: &str, wrong: &mut Vec<String>) -> anyhow::Result<()> {
    if matches!(name, "uapi" | "syscalls") {
        return Ok(());
    }
    let crates = dir.parent().unwrap_or(dir);
    let numbers = fs::read_to_string(crates.join("uapi/src/numbers.rs"))?;
    let names = syscalls(&numbers);
    for file in source::files(&dir.join("src"))? {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = file.strip_prefix(crates)?.to_string_lossy();
        if stem.ends_with("tests") || ALLOWED.iter().any(|(allowed, _)| *allowed == path) {
            continue;
        }
        let text = source::without_comments(&fs::read_to_string(&file)?);
        for (i, line) in text.lines().enumerate() {
            for name in compared(line, &names) {
                wrong.push(format!(
                    "crates/{path}:{}: tells the syscall {name} by its name: ask its row for an effect (crates/syscalls/src/effect.rs)",
                    i + 1
                ));
            }
        }
    }
    Ok(())
}

/// The names of all syscalls of all ABIs.
fn syscalls(numbers: &str) -> BTreeSet<&str> {
    numbers.lines().filter_map(|line| line.trim().strip_prefix('(')?.split('"').nth(1)).collect()
}

/// The names of syscalls that a line compares with something, or lists.
fn compared<'a>(line: &'a str, names: &BTreeSet<&str>) -> Vec<&'a str> {
    let parts: Vec<&str> = line.split('"').collect();
    let literals = (1..parts.len().saturating_sub(1)).step_by(2);
    let is_syscall = |at: &usize| names.contains(parts[*at]);
    let listed =
        literals.clone().filter(|at| is_syscall(at) && !WORDS.contains(&parts[*at])).count() > 1 && line.contains('[');
    let found = literals.filter(is_syscall).filter(|&at| {
        let (before, after) = (parts[at - 1].trim_end(), parts[at + 1].trim_start());
        let alternative =
            after.starts_with('|') && !after.starts_with("||") || before.ends_with('|') && !before.ends_with("||");
        let compared = before.ends_with("==")
            || before.ends_with("!=")
            || before.ends_with("starts_with(")
            || before.ends_with("matches!(row.name,")
            || after.starts_with("=>")
            || alternative;
        let constant = before.ends_with("&str =");
        match WORDS.contains(&parts[at]) {
            true => compared && (line.contains("row.name") || line.contains("wait.name()")),
            false => compared || constant || listed,
        }
    });
    found.map(|at| parts[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<&str> {
        let names = syscalls("    (0, \"read\"),\n    (202, \"futex\"),\n    (59, \"execve\"),\n    (60, \"exit\"),");
        compared(line, &names)
    }

    #[test]
    fn names_that_are_compared() {
        assert_eq!(found(r#"row.name == "futex""#), ["futex"]);
        assert_eq!(found(r#""execve" | "futex" => Kind::Wait,"#), ["execve", "futex"]);
        assert_eq!(found(r#"if name.starts_with("futex") {"#), ["futex"]);
        assert_eq!(found(r#"const NAMES: &[&str] = &["execve", "futex"];"#), ["execve", "futex"]);
        assert_eq!(found(r#"const NAME: &str = "futex";"#), ["futex"]);
        assert_eq!(found(r#"matches!(row.name, "read" | "exit")"#), ["read", "exit"]);
    }

    #[test]
    fn words_that_are_no_names() {
        for line in [
            r#"failed("execve")"#,
            r#"Exit = "exit" | "exits";"#,
            r#"Kind::Read => "read","#,
            r#"engine.name() == "read""#,
            r#"["none", "read", "exit"]"#,
            r#"call.arg("fd") || x == "pages""#,
        ] {
            assert!(found(line).is_empty(), "{line}");
        }
    }
}
