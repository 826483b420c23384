//! Runs every C program in `tests/syscalls/`. Each makes calls and prints the lines that Stride must show for them.
//!
//! The first line of a program holds the options: `// stride: -e trace=read,write -a1`. The program starts with
//! `chdir("MARKER")`, which fails. Stride's lines after that call, up to the exit, must equal the program's output. A
//! program that cannot run here exits with status 77 and prints the reason on stderr; the test is then reported as
//! skipped.

mod common;

use common::{Scratch, bare_stride, cc, skipped, sources, stem, text};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;

const SKIP: i32 = 77;

fn main() {
    let args = Arguments::from_args();
    let trials = sources("syscalls")
        .into_iter()
        .flat_map(|source| {
            ["ptrace", "ebpf"].map(|engine| {
                let source = source.clone();
                Trial::test(format!("syscalls::{}::{engine}", stem(&source)), move || check(&source, engine))
            })
        })
        .collect();
    libtest_mimic::run(&args, trials).exit();
}

fn check(source: &Path, engine: &str) -> Result<(), Failed> {
    let name = stem(source);
    if engine == "ebpf"
        && let Err(why) = stride_engine_ebpf::available()
    {
        skipped::report_of(&name, why);
        return Ok(());
    }
    let scratch = Scratch::new(&format!("syscalls-{engine}-{name}"));
    let program = scratch.path(&name);
    if let Err(why) = cc(source, &program) {
        skipped::report_of(&name, why);
        return Ok(());
    }
    let source = std::fs::read_to_string(source)?;
    let options = source
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// stride:"))
        .ok_or("the first line must be `// stride: OPTIONS`")?;

    // The marker is always traced, whatever options the program has.
    let options: Vec<String> = options
        .split_whitespace()
        .map(|o| match o.strip_prefix("trace=") {
            Some(list) => format!("trace=chdir,{list}"),
            None => o.to_string(),
        })
        .collect();
    let output = bare_stride()
        .args([&format!("--engine={engine}"), "-o", "log"])
        .args(&options)
        .arg(&program)
        .current_dir(scratch.path(""))
        .output()?;
    if output.status.code() == Some(SKIP) {
        skipped::report_of(&name, text(&output.stderr).trim());
        return Ok(());
    }
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, text(&output.stderr)).into());
    }
    let expected = text(&output.stdout);
    if expected.trim().is_empty() {
        return Err("the program expects nothing".into());
    }
    let seen = after_marker(&scratch.read("log")).ok_or("the marker call is not in the log")?;
    compare(&expected, &seen)
}

/// The lines between the marker and the end of the program.
fn after_marker(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().collect();
    let start = lines.iter().rposition(|line| line.contains("\"MARKER\""))? + 1;
    // The calls by which the program prints are traced, too.
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
