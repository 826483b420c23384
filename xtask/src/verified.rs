//! `cargo xtask verified`: writes down how many instructions the kernel's verifier walks in each eBPF program.
//!
//! The test `engine_verified` prints the rows of the kernel that it runs on, here or in a machine of scripts/test-kernels, whose log has them.
//! Rows of other kernels, and of other compilers, stay.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const RECORD: &str = "crates/engine-ebpf/tests/verified.txt";
/// Each line that the test prints for a row begins so.
const PRINTED: &str = "verified: ";
const HEAD: &str = "\
# The instructions that the kernel's verifier walks in each eBPF program, made by `cargo xtask verified` (docs/contributing/tests.md).
# machine, kernel, compiler of the programs, settings (engine_verified.rs), program, instructions
";

/// Takes the rows from this log, or from a run of the test.
pub fn run(log: Option<&str>) -> Result<()> {
    let printed = match log {
        Some(log) => fs::read(log).with_context(|| format!("cannot read {log}"))?,
        None => run_test()?,
    };
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies outside a workspace")?.join(RECORD);
    let old = fs::read_to_string(&record).unwrap_or_default();
    let (text, new) = merged(&old, &String::from_utf8_lossy(&printed));
    ensure!(new > 0, "no line begins with '{PRINTED}', so the test has loaded nothing: it says why");
    fs::write(&record, text).with_context(|| format!("cannot write {}", record.display()))?;
    println!("{new} rows written");
    Ok(())
}

/// The output of the test. It fails if a program has risen, which is what is to be written down.
fn run_test() -> Result<Vec<u8>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["test", "--package=stride-engine-ebpf", "--test=engine_verified", "--", "--nocapture"];
    Ok(Command::new(cargo).args(arguments).stderr(Stdio::inherit()).output().context("cannot run cargo")?.stdout)
}

/// The record with the printed rows in place of those of the same machine, kernel and compiler; and the number of printed rows.
fn merged(old: &str, printed: &str) -> (String, usize) {
    // (A test that runs beside this one may have begun the line, and a console ends lines with a carriage return.)
    let rows = printed.lines().filter_map(|line| line.split_once(PRINTED)).map(|(_, row)| row.trim_end());
    let rows: BTreeSet<&str> = rows.filter(|row| row.split(' ').count() == 6).collect();
    let kind = |row: &str| row.split(' ').take(3).collect::<Vec<_>>().join(" ");
    let kinds: BTreeSet<String> = rows.iter().map(|row| kind(row)).collect();
    let stay = old.lines().filter(|line| !line.is_empty() && !line.starts_with('#') && !kinds.contains(&kind(line)));
    let all: BTreeSet<&str> = stay.chain(rows.iter().copied()).collect();
    (all.into_iter().fold(HEAD.to_owned(), |text, row| text + row + "\n"), rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_kernels_stay() {
        let old =
            "# old\nx86_64 6.1 clang-14 text a 1\nx86_64 6.18 clang-14 text a 2\nx86_64 6.18 clang-14 text gone 3\n";
        let printed = "running 1 test\ntest b ... verified: x86_64 6.18 clang-14 text b 5\r\nverified: x86_64 6.18 clang-14 text a 4\nverified: cut off\n";
        let (text, new) = merged(old, printed);
        let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            rows,
            ["x86_64 6.1 clang-14 text a 1", "x86_64 6.18 clang-14 text a 4", "x86_64 6.18 clang-14 text b 5"]
        );
        assert_eq!(new, 2);
    }
}
