//! `--sweep`: each call site fails once. The programs in `tests/sweep/` have one mistake each, which their first lines name, and none if they are compiled with `RIGHT`.

mod common;

use common::*;
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The text behind a key in the first lines of a source.
fn line(source: &Path, key: &str) -> Option<String> {
    let source = std::fs::read_to_string(source).unwrap();
    source.lines().find_map(|line| line.strip_prefix(key).map(|rest| rest.trim().to_owned()))
}

/// The program, with its mistake or without.
fn compiled(source: &Path, is_right: bool, scratch: &Scratch) -> Result<PathBuf, String> {
    let kind = if is_right { "right" } else { "wrong" };
    let program = scratch.path(&format!("{}-{kind}", stem(source)));
    let whole = program.with_extension("c");
    let define = if is_right { "#define RIGHT 1\n" } else { "" };
    std::fs::write(&whole, format!("{define}#include \"{}\"\n", source.display())).unwrap();
    cc_with_lines(&whole, &program)?;
    Ok(program)
}

/// Runs a sweep in copies of a directory with a file, and returns the report.
fn swept(scratch: &Scratch, options: &[&str], command: &[&str]) -> Value {
    let directory = scratch.path("dir");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("input"), "one\ntwo\n").unwrap();
    let mut stride = bare_stride();
    stride.args(["--json", "--sweep-in=dir"]).args(options).args(command).current_dir(scratch.path(""));
    let run = Run::of(stride);
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let expected = if report["findings"] == 0 { 0 } else { 3 };
    assert_eq!(run.code(), Some(expected), "{run:?}");
    assert_eq!(report["left"], 0, "{report:#}");
    report
}

fn findings(report: &Value) -> Vec<&Value> {
    report["faults"].as_array().unwrap().iter().filter(|fault| fault["is_finding"] == true).collect()
}

#[test]
fn mistakes_are_found_and_their_lines_repeat_them() {
    for source in sources("sweep") {
        let scratch = Scratch::new(&format!("sweep-{}", stem(&source)));
        let kinds = format!("--sweep={}", line(&source, "// kinds:").unwrap_or_default());
        for is_right in [true, false] {
            let program = or_skip!(compiled(&source, is_right, &scratch));
            let report = swept(&scratch, &[&kinds], &[program.to_str().unwrap()]);
            let found = findings(&report);
            if is_right {
                assert!(found.is_empty(), "{}: {report:#}", source.display());
                continue;
            }
            let wanted = line(&source, "// finds:").unwrap();
            let words: Vec<&str> = wanted.split(' ').collect();
            let [kind, function, call, fault] = words[..] else { panic!("{wanted}") };
            let is_wanted = |finding: &&&Value| {
                finding["verdict"] == kind
                    && finding["caller"].as_str().unwrap().starts_with(&format!("{function} ("))
                    && finding["syscall"] == call
                    && finding["fault"] == fault
            };
            let finding = found.iter().find(is_wanted).unwrap_or_else(|| panic!("{wanted}: {report:#}"));
            repeats(finding, kind, &scratch);
        }
    }
}

/// The line of a finding ends in the same way.
fn repeats(finding: &Value, kind: &str, scratch: &Scratch) {
    let directory = scratch.path("dir");
    let again = finding["again"].as_str().unwrap();
    let ends = matches!(kind, "hang" | "endless");
    let shell = if ends { format!("timeout -s INT 2 {again}") } else { again.to_owned() };
    let mut command = Command::new("sh");
    // (cargo's library path would lead the loader elsewhere.)
    command.args(["-c", &shell]).current_dir(&directory).env_remove("LD_LIBRARY_PATH");
    let run = Run::of(command);
    let status = run.status.code().unwrap_or_else(|| 128 + run.status.signal().unwrap());
    assert!(run.err.contains("(INJECTED"), "{again}: {}", run.err);
    match kind {
        "crash" => assert!(status > 128, "{again}: {run:?}"),
        "hang" | "endless" => assert_eq!(status, 124, "{again}: {run:?}"),
        "leak" => assert!(status <= 1, "{again}: {run:?}"),
        _ => assert_eq!(status, 0, "{again}: {run:?}"),
    }
}

#[test]
fn what_cannot_be_swept_is_refused() {
    let scratch = Scratch::new("sweep-refused");
    for (args, why) in [
        (&["--sweep", "./nothing-of-this-name"][..], "Cannot stat './nothing-of-this-name'"),
        (&["--sweep", "-p", "1"], "-p 1 has no place there"),
        (&["--sweep", "-o", "x", "true"], "-o x has no place there"),
        (&["--sweep", "--engine=ebpf", "true"], "leave --engine=ebpf out"),
        (&["--sweep=eros", "true"], "--sweep=eros is not known; there are --sweep=error, more, eintr"),
        (&["--sweep-in=.", "true"], "add --sweep"),
        (&["--sweep-limit=5", "--sweep", "true"], "a time has a unit"),
        (&["--sweep", "--sweep-in=nowhere", "true"], "'nowhere' cannot be copied"),
        (&["--sweep", "sh", "-c", "kill -SEGV $$"], "is ended by SIGSEGV already without a fault"),
        (&["--sweep", "sh", "-c", "mkdir made"], "give --sweep-in=DIR"),
    ] {
        let mut stride = bare_stride();
        stride.args(args).current_dir(scratch.path(""));
        let run = Run::of(stride);
        assert_eq!(run.code(), Some(1), "{args:?}: {run:?}");
        assert!(run.err.contains(why), "{args:?}: {run:?}");
        assert_eq!(run.out, "", "{args:?}");
    }
}

/// The start of an interpreter is no place, and the hundreds of calls of a line that imports something are one for each call. The output that is written when the script is over counts.
#[test]
fn places_of_a_script_are_its_lines() {
    let python = "/usr/bin/python3";
    if !Path::new(python).exists() {
        skip!("no {python}");
    }
    let scratch = Scratch::new("sweep-script");
    let script = "import bisect\n\ndef load():\n    try:\n        with open('input') as file:\n            return file.read()\n    except OSError:\n        return ''\n\n\
                  print(load())\n";
    std::fs::write(scratch.path("app.py"), script).unwrap();
    let app = scratch.path("app.py");
    let report = swept(&scratch, &["--sweep"], &[python, "-E", app.to_str().unwrap()]);
    let faults = report["faults"].as_array().unwrap();
    let callers: Vec<&str> = faults.iter().map(|fault| fault["caller"].as_str().unwrap()).collect();
    let of_import = callers.iter().filter(|caller| **caller == "<module> (app.py:1)").count();
    assert!((1..8).contains(&of_import), "{of_import}: {report:#}");
    let elsewhere = callers.iter().filter(|caller| !caller.contains("(app.py:")).count();
    assert!((1..8).contains(&elsewhere), "{elsewhere}: {report:#}");
    let found = findings(&report);
    let is_wanted = |finding: &Value| finding["caller"] == "load (app.py:5)" && finding["syscall"] == "openat";
    assert!(found.into_iter().any(is_wanted), "{report:#}");
}

/// The report tells what was done, the results are kept, nothing of a run is left, and a later sweep goes on.
#[test]
fn an_interrupted_sweep_reports_and_goes_on_later() {
    let scratch = Scratch::new("sweep-interrupted");
    std::fs::create_dir_all(scratch.path("dir")).unwrap();
    std::fs::create_dir_all(scratch.path("tmp")).unwrap();
    std::fs::write(scratch.path("dir/input"), "one\n").unwrap();
    let sweep = || {
        let mut stride = bare_stride();
        let options = ["--json", "--sweep", "--sweep-in=dir", "--sweep-results=results"];
        stride.args(options).args(["sh", "-c", "cat input input; sleep 0.3; cat input"]);
        stride.current_dir(scratch.path("")).env("TMPDIR", scratch.path("tmp"));
        stride
    };
    let out = std::fs::File::create(scratch.path("out")).unwrap();
    let mut stride = Killed(sweep().stdout(out).stdin(std::process::Stdio::null()).spawn().unwrap());
    let results = || std::fs::read_to_string(scratch.path("results")).unwrap_or_default().lines().count();
    wait_until("two results", || results() > 2);
    send(&stride, nix::sys::signal::Signal::SIGTERM);
    assert_eq!(stride.0.wait().unwrap().code(), Some(0));
    let first: Value = serde_json::from_str(&scratch.read("out")).unwrap();
    assert_eq!(first["why_left"], "Stride was told to end, by SIGTERM", "{first:#}");
    let tested = |report: &Value| report["faults"].as_array().unwrap().len();
    let (done, left) = (tested(&first), first["left"].as_u64().unwrap() as usize);
    assert!(done >= 2 && left > 0, "{first:#}");
    assert_eq!(results(), done + 1);
    assert_eq!(std::fs::read_dir(scratch.path("tmp")).unwrap().count(), 0, "the copies are gone");
    let run = Run::of(sweep());
    let second: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert!(run.err.contains(&format!("runs the command {left} times more")), "{run:?}");
    assert_eq!((tested(&second), second["left"].as_u64()), (done + left, Some(0)), "{second:#}");
}

/// Each run has the whole input, from a file or from a pipe.
#[test]
fn each_run_has_the_standard_input() {
    let scratch = Scratch::new("sweep-input");
    std::fs::write(scratch.path("input"), "one\ntwo\n").unwrap();
    // The program exits with 3 unless it gets all.
    let program = "x=$(cat) && [ ${#x} = 7 ] || exit 3";
    for input in ["<input", "cat input |"] {
        let (before, after) = if input.ends_with('|') { (input, "") } else { ("", input) };
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{before} '{STRIDE}' --json --sweep sh -c \"$0\" {after}"), program]);
        shell.current_dir(scratch.path("")).env_remove("LD_LIBRARY_PATH");
        // (The shell of this test has no input of its own.)
        let run = Run::of(shell);
        let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        assert_eq!(report["findings"], 0, "{report:#}");
        let kinds = report["faults"].as_array().unwrap().iter().map(|fault| fault["verdict"].as_str().unwrap());
        assert!(kinds.clone().any(|kind| kind == "recovered"), "{report:#}");
    }
}

/// Output that is never the same is told, and is no finding.
#[test]
fn output_that_varies_is_no_finding() {
    let scratch = Scratch::new("sweep-varies");
    let report = swept(&scratch, &["--sweep"], &["sh", "-c", "echo $$ $PPID; cat input >copy"]);
    assert!(report["remarks"][0].as_str().unwrap().contains("standard output differs from run to run"), "{report:#}");
    let lost =
        findings(&report).iter().any(|finding| finding["what"].as_str().unwrap().contains("the standard output"));
    assert!(!lost, "{report:#}");
}

/// A program that is itself in the copies has another path in each run.
#[test]
fn a_program_in_the_directory_is_swept() {
    let scratch = Scratch::new("sweep-program");
    let source = root().join("tests/sweep/unchecked-write.c");
    let program = or_skip!(compiled(&source, false, &scratch));
    std::fs::create_dir(scratch.path("dir")).unwrap();
    std::fs::rename(program, scratch.path("dir/save")).unwrap();
    let mut stride = bare_stride();
    stride.args(["--json", "--sweep", "--sweep-in=dir", "./save"]).current_dir(scratch.path(""));
    let run = Run::of(stride);
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let found = findings(&report);
    assert!(found.len() == 1 && found[0]["verdict"] == "lost", "{report:#}");
    assert!(report["faults"].as_array().unwrap().iter().all(|fault| fault["verdict"] != "not-reached"), "{report:#}");
}

/// Copies for which there is no room end the sweep with a sentence.
#[test]
fn copies_without_room_are_told() {
    let scratch = Scratch::new("sweep-room");
    std::fs::create_dir_all(scratch.path("dir")).unwrap();
    std::fs::write(scratch.path("dir/large"), vec![b'x'; 1 << 20]).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -f 512; exec '{STRIDE}' --sweep --sweep-in=dir true")]);
    shell.current_dir(scratch.path("")).env_remove("LD_LIBRARY_PATH");
    let run = Run::of(shell);
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("'dir' cannot be copied: File too large"), "{run:?}");
}
