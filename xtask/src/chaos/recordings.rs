//! Hostile recordings through every view, within limits of time and memory, and live runs of the same kind.

use super::Scenario;
use super::field::{Field, Need, PTRACE};
use super::process::{Proc, words};
use anyhow::{Context, Result, ensure};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub const BAD: Scenario = Scenario {
    name: "bad",
    about: "recordings of 50,000 processes in a chain, 4 million threads, 150,000 arguments cost no view much",
    needs: &[],
    share: 16,
    cases: (KINDS.len() * VIEWS.len()) as u64,
    round: bad,
};

pub const MUTATED: Scenario = Scenario {
    name: "mutated",
    about: "recordings with changed bytes cost no view much, nor make it panic",
    needs: &[],
    share: 6,
    cases: VIEWS.len() as u64,
    round: mutated,
};

pub const ARGUMENTS: Scenario = Scenario {
    name: "arguments",
    about: "an execve with 50,000 arguments is not held far longer than strace holds it (-v)",
    needs: &[Need::Strace],
    share: 1,
    cases: 1,
    round: arguments,
};

const KINDS: [(&str, &str); 3] = [("chain", "50000"), ("threads", "4100000"), ("arguments", "150000")];

const VIEWS: [&[&str]; 12] = [
    &["-o", "view"],
    &["--html=view"],
    &["--perfetto=view"],
    &["--json", "-v", "-o", "view"],
    &["-v", "-o", "view"],
    &["-c", "-w"],
    &["--by=path"],
    &["--by=process,syscall"],
    &["--diff=whole"],
    &["--budget=limits"],
    &["--advise"],
    &["--advise", "--json"],
];

/// A limit of CPU time, which depends little on other load. On an idle machine a view takes at most 3 s.
const CPU: Duration = Duration::from_secs(10);
const MEMORY: u64 = 512 << 20;

fn bad(field: &Field) -> Result<()> {
    let (kind, count) = field.case(&KINDS, 1);
    let view = field.case(&VIEWS, KINDS.len() as u64);
    whole(field)?;
    let file = field.path(kind);
    if !file.exists() {
        maker(&[kind, count], &file)?;
    }
    show(field, &file, kind, view)
}

fn mutated(field: &Field) -> Result<()> {
    let view = field.case(&VIEWS, 1);
    let whole = whole(field)?;
    let seed = 1 + field.below(1 << 32);
    let file = field.path("mutated");
    maker(&["mutate", &whole.to_string_lossy(), &seed.to_string()], &file)?;
    show(field, &file, &format!("seed {seed} of bad_recording mutate"), view)
}

/// A real recording, and a budget that it keeps.
fn whole(field: &Field) -> Result<PathBuf> {
    let whole = field.path("whole");
    if !whole.exists() {
        let mut stride = field.stride(PTRACE);
        stride.args(["-f", "-v", "-y", "-i", "-T", "-o", "/dev/null"]).arg(format!("--record={}", whole.display()));
        stride.arg(format!("--budget-write={}", field.path("limits").display()));
        stride.args([
            "sh",
            "-c",
            "ls -l /etc /bin/ | sort | head -3; cat /etc/passwd | wc; ls /none; (sleep 0.01 & wait)",
        ]);
        field.ends(&mut Proc::spawn(stride)?, Duration::from_secs(30))?;
    }
    Ok(whole)
}

/// Builds the maker of recordings, which takes a while the first time.
pub fn prepare() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--package", "stride-record", "--example", "bad_recording"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .status()?;
    ensure!(built.success(), "crates/record/examples/bad_recording.rs does not compile");
    Ok(())
}

/// Runs `crates/record/examples/bad_recording.rs`, which knows the format of recordings.
fn maker(args: &[&str], file: &Path) -> Result<()> {
    // Cargo puts the example beside this program.
    let made = std::env::current_exe()?.with_file_name("examples").join("bad_recording");
    let status =
        Command::new(&made).args(args).arg(file).status().with_context(|| format!("can't run {}", made.display()))?;
    ensure!(status.success(), "bad_recording {args:?} failed");
    Ok(())
}

fn show(field: &Field, file: &Path, name: &str, view: &[&str]) -> Result<()> {
    field.step(format!("--replay of {name} with {}", view.join(" ")));
    let mut stride = field.tool(&field.stride);
    stride.arg(format!("--replay={}", file.display())).args(view);
    field.fresh("view");
    let mut stride = Proc::spawn(stride)?;
    let begun = Instant::now();
    let mut status = None;
    while status.is_none() && stride.cpu < CPU * 2 && stride.peak < MEMORY * 2 && begun.elapsed() < CPU * 12 {
        status = stride.end(Duration::from_millis(20));
    }
    let (cpu, peak) = (stride.cpu.as_secs_f64(), stride.peak >> 20);
    let worst = (cpu / CPU.as_secs_f64()).max(stride.peak as f64 / MEMORY as f64);
    field.figure(worst, format!("{cpu:.1} s of CPU, {peak} MiB ({})", view[0]));
    let seen = match status {
        Some(status) => words(status),
        None => "was stopped by us".to_owned(),
    };
    let said = field.text("stderr");
    let said = said.lines().find(|l| l.contains("panicked")).unwrap_or_default();
    let fine = status.is_some_and(|s| s.signal().is_none()) && said.is_empty();
    ensure!(
        fine && stride.cpu < CPU && stride.peak < MEMORY,
        "    seen: {cpu:.1} s of CPU time, {peak} MiB; {seen} {said}\n    expected: an end within {} s of CPU time and {} MiB",
        CPU.as_secs(),
        MEMORY >> 20
    );
    Ok(())
}

fn arguments(field: &Field) -> Result<()> {
    field.step(format!("{PTRACE} -v, execve with 50,000 arguments"));
    let measure = |mut tracer: Command| -> Result<Duration> {
        tracer
            .args(["-v", "-o", "/dev/null"])
            .arg(field.path("victim"))
            .arg("argue")
            .arg(field.path("count"))
            .arg("50000");
        let begun = Instant::now();
        field.ends(&mut Proc::spawn(tracer)?, Duration::from_secs(60))?;
        Ok(begun.elapsed())
    };
    // The fastest of three runs, because other load only makes a run longer.
    let best = |make: &dyn Fn() -> Command| -> Result<f64> {
        let all: Result<Vec<f64>> = (0..3).map(|_| Ok(measure(make())?.as_secs_f64())).collect();
        Ok(all?.into_iter().fold(f64::MAX, f64::min))
    };
    let (strace, stride) = (best(&|| field.strace())?, best(&|| field.stride(PTRACE))?);
    field.figure(stride, format!("{stride:.2} s, strace {strace:.2} s"));
    ensure!(
        stride < strace * 3.0 + 0.4,
        "    seen: the run took {stride:.2} s, with strace {strace:.2} s\n    expected: at most three times strace's, and 0.4 s"
    );
    Ok(())
}
