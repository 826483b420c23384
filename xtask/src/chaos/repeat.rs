//! `cargo xtask suite-repeat N [--busy]`: runs the whole suite again and again, to find flaky tests. With `--busy`, a
//! CPU hog runs on each CPU in every other run.

use super::process::Proc;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

pub fn run(args: &[&str]) -> Result<()> {
    let (count, busy) = match args {
        [count] => (count, false),
        [count, "--busy"] => (count, true),
        _ => bail!("usage: cargo xtask suite-repeat N [--busy]"),
    };
    let count: usize = count.parse().context("N is how often the suite is to be run")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let logs = root.join("target/suite-repeat");
    fs::create_dir_all(&logs)?;
    let built =
        Command::new(&cargo).args(["test", "--workspace", "--quiet", "--no-run"]).current_dir(&root).status()?;
    ensure!(built.success(), "the tests do not compile");
    let mut failed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for run in 1..=count {
        let hogs = if busy && run % 2 == 0 { hogs()? } else { Vec::new() };
        let log = logs.join(format!("{run}.log"));
        let begun = Instant::now();
        // Runs the suite like scripts/test.
        let status = Command::new("env")
            .arg("--default-signal")
            .arg(&cargo)
            .args(["test", "--workspace", "--no-fail-fast"])
            .current_dir(&root)
            .stdout(fs::File::create(&log)?)
            .stderr(fs::File::create(logs.join(format!("{run}.err")))?)
            .status()?;
        drop(hogs);
        let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let names: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("test ")?.strip_suffix(" ... FAILED")).collect();
        for name in &names {
            failed.entry((*name).to_owned()).or_default().push(run);
        }
        let mut outcome = names.join(", ");
        if outcome.is_empty() {
            outcome =
                if status.success() { "all well".to_owned() } else { format!("failed outside of a test: {status}") };
            if !status.success() {
                failed.entry(outcome.clone()).or_default().push(run);
            }
        }
        let load = if busy && run % 2 == 0 { ", CPUs busy" } else { "" };
        println!("run {run} of {count}{load}, {} s: {outcome}", begun.elapsed().as_secs());
    }
    for (name, runs) in &failed {
        println!("{name}: failed in runs {runs:?} of {count}; see {}", logs.display());
    }
    ensure!(failed.is_empty(), "{} tests waver or fail", failed.len());
    println!("nothing wavers");
    Ok(())
}

/// A hog for each CPU, at the tests' own priority.
fn hogs() -> Result<Vec<Proc>> {
    let cpus = std::thread::available_parallelism()?.get();
    (0..cpus)
        .map(|_| {
            let mut hog = Command::new("sh");
            hog.args(["-c", "while :; do :; done"]);
            Proc::spawn(hog)
        })
        .collect()
}
