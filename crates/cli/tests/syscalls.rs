//! Runs every C program in `tests/syscalls/`: each makes calls and prints the lines that Stride must show for them.
//!
//! The first line of a program holds the options: `// stride: -e trace=read,write -a1`. The program starts with
//! `chdir("MARKER")`, which fails; what Stride prints after that call, up to the exit, must be what the program printed.
//! A program that cannot run here exits with status 77 and says why on stderr: the test is reported as skipped.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

const STRIDE: &str = env!("CARGO_BIN_EXE_stride");
const SKIP: i32 = 77;

fn main() {
    let args = Arguments::from_args();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/syscalls");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "no test programs in {}", dir.display());
    let trials = programs
        .into_iter()
        .flat_map(|source| {
            ["ptrace", "ebpf"].map(|engine| {
                let (name, source) =
                    (source.file_stem().unwrap_or_default().to_string_lossy().into_owned(), source.clone());
                Trial::test(format!("syscalls::{name}::{engine}"), move || check(&source, engine))
            })
        })
        .collect();
    libtest_mimic::run(&args, trials).exit();
}

fn check(source: &Path, engine: &str) -> Result<(), Failed> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("syscalls").join(engine).join(&name);
    if engine == "ebpf"
        && let Err(why) = stride_engine_ebpf::available()
    {
        println!("skipped: {name}: {why}");
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch)?;
    let program = scratch.join(&name);
    let text = std::fs::read_to_string(source)?;
    let options = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// stride:"))
        .ok_or("the first line must be `// stride: OPTIONS`")?;

    let compiled = Command::new("cc").args(["-O1", "-w", "-pthread", "-o"]).arg(&program).arg(source).output()?;
    if !compiled.status.success() {
        return Err(format!("cc: {}", String::from_utf8_lossy(&compiled.stderr)).into());
    }
    let log = scratch.join("log");
    // The marker is always traced, whatever the program asks for.
    let options: Vec<String> = options
        .split_whitespace()
        .map(|o| match o.strip_prefix("trace=") {
            Some(list) => format!("trace=chdir,{list}"),
            None => o.to_string(),
        })
        .collect();
    let output = Command::new(STRIDE)
        .args([&format!("--engine={engine}"), "-o"])
        .arg(&log)
        .args(&options)
        .arg(&program)
        .current_dir(&scratch)
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .output()?;
    if output.status.code() == Some(SKIP) {
        println!("skipped: {name}: {}", String::from_utf8_lossy(&output.stderr).trim());
        return Ok(());
    }
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    let expected = String::from_utf8_lossy(&output.stdout).into_owned();
    if expected.trim().is_empty() {
        return Err("the program expects nothing".into());
    }
    let log = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
    let seen = after_marker(&log).ok_or("the marker call is not in the log")?;
    compare(&expected, &seen)
}

/// The lines between the marker and the end of the program.
fn after_marker(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().collect();
    let start = lines.iter().rposition(|line| line.contains("\"MARKER\""))? + 1;
    // The program's own printing is a call too.
    let noise = |l: &str| l.contains("+++ exited with") || l.starts_with("exit_group(") || l.starts_with("write(1, ");
    let body = lines[start..].iter().filter(|l| !noise(l));
    Some(body.map(|l| format!("{l}\n")).collect())
}

fn compare(expected: &str, seen: &str) -> Result<(), Failed> {
    if expected == seen {
        return Ok(());
    }
    let mut report = String::from("expected and seen differ:\n");
    let (want, got): (Vec<_>, Vec<_>) = (expected.lines().collect(), seen.lines().collect());
    for i in 0..want.len().max(got.len()) {
        match (want.get(i), got.get(i)) {
            (Some(w), Some(g)) if w == g => {}
            (w, g) => {
                report += &format!("line {}\n  - {}\n  + {}\n", i + 1, w.unwrap_or(&"(none)"), g.unwrap_or(&"(none)"))
            }
        }
    }
    Err(report.into())
}
