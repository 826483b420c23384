//! Stride's memory in long runs: the recording of a busy machine is replayed while it is made, and the memory must level off.
//!
//! A FIFO joins the two, so a day's calls need no disk. The figures are high-water marks, which depend on no timing.

use super::Scratch;
use anyhow::{Context, Result, ensure};
use nix::sys::stat::Mode;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The views, and whether they are shown a recording with stacks, which is ten times as large for each call.
const VIEWS: &[(&[&str], bool)] = &[
    (&[], false),
    (&["--json"], false),
    (&["-c"], false),
    (&["--by=path"], false),
    (&["--by=pid"], false),
    (&["--by=peer,container"], false),
    (&["--tree"], false),
    (&["--advise"], false),
    (&["--parquet=TABLES"], false),
    (&["--perfetto=/dev/null"], false),
    (&["--html=PAGE"], false),
    (&["--budget-write=LIMITS"], false),
    (&["-k"], true),
    (&["--by=caller"], true),
    (&["--by=stack"], true),
    (&["--flamegraph=GRAPH.folded"], true),
];

pub fn measure(stride: &str, millions: u64, report: &mut String) -> Result<()> {
    let maker = build()?;
    let scratch = Scratch::new()?;
    let _ = writeln!(report, "## Memory in long runs\n");
    let _ = writeln!(
        report,
        "The most memory of `stride --replay`, in MiB (VmHWM), after parts of the {millions} million calls of a made-up busy machine \
         (`crates/record/examples/busy_machine.rs`), and at the end, when the view is written. Views of stacks get a tenth of the calls.\n"
    );
    let _ = writeln!(report, "| view | 10% | 30% | 50% | 90% | end |\n|---|---|---|---|---|---|");
    for (view, stacks) in VIEWS {
        let calls = millions * if *stacks { 100_000 } else { 1_000_000 };
        let marks = replay(stride, view, &maker, calls, *stacks, &scratch.0)?;
        let _ = write!(report, "| `{}` |", if view.is_empty() { "text" } else { view[0] });
        for tenth in [0, 2, 4, 8, marks.len() - 1] {
            let _ = write!(report, " {} |", marks.get(tenth).map_or_else(|| "?".into(), |kib| (kib >> 10).to_string()));
        }
        let _ = writeln!(report);
        eprintln!("{view:?}: {marks:?} KiB");
    }
    Ok(())
}

/// The high-water marks in KiB after each tenth of the calls, and at the end.
fn replay(stride: &str, view: &[&str], maker: &Path, calls: u64, stacks: bool, scratch: &Path) -> Result<Vec<u64>> {
    let fifo = scratch.join("fifo");
    let _ = std::fs::remove_file(&fifo);
    nix::unistd::mkfifo(&fifo, Mode::from_bits_truncate(0o600))?;
    let mut recording = OsString::from("--replay=");
    recording.push(&fifo);
    let mut replaying = Command::new(stride);
    let to = scratch.join("out");
    std::fs::create_dir(&to)?;
    let view = view.iter().map(|word| match word.split_once('=') {
        Some((option, file)) if file.starts_with(|c: char| c.is_ascii_uppercase()) => {
            format!("{option}={}", to.join(file).display())
        }
        _ => (*word).to_owned(),
    });
    replaying.args(["-q", "-o", "/dev/null"]).args(view).arg(recording).stdin(Stdio::null()).stdout(Stdio::null());
    let mut replaying = replaying.spawn().with_context(|| stride.to_owned())?;
    let mut making = Command::new(maker);
    making.arg(calls.to_string()).arg(&fifo).arg("--pids=4194304").args(stacks.then_some("--stacks"));
    let mut making = making.stdout(Stdio::piped()).spawn()?;
    let mut marks = Vec::new();
    if let Some(progress) = making.stdout.take() {
        for line in BufReader::new(progress).lines() {
            line?;
            marks.push(high_water_mark(&replaying)?);
        }
    }
    ensure!(making.wait()?.success(), "busy_machine failed");
    ensure!(replaying_ends(&mut replaying, &mut marks)?, "{replaying:?} failed");
    std::fs::remove_dir_all(&to)?;
    Ok(marks)
}

/// Waits for the end, and adds the last mark. The view is written meanwhile.
fn replaying_ends(child: &mut Child, marks: &mut Vec<u64>) -> Result<bool> {
    let mut last = 0;
    loop {
        // (A process that has ended but was not waited for has no memory.)
        last = high_water_mark(child).unwrap_or(last);
        if let Some(status) = child.try_wait()? {
            marks.push(last);
            return Ok(status.success());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn high_water_mark(child: &Child) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.and_then(|line| line.split_whitespace().next()).context("no VmHWM")?.parse()?)
}

/// Builds the maker of the recording.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "stride-record", "--example", "busy_machine"])
        .current_dir(&root)
        .status()?;
    ensure!(built.success(), "crates/record/examples/busy_machine.rs does not compile");
    let target = std::env::current_exe()?.parent().and_then(Path::parent).context("no target directory")?.to_owned();
    Ok(target.join("release/examples/busy_machine"))
}
