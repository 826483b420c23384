//! Bytes that a tracee chooses, and recordings that somebody has made up or damaged, in every view ([`fixtures`]). The
//! output has to be well formed, and nothing in a name or in data may act as markup, as a line, as a field, or as an
//! order to the terminal.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod fixtures;
#[path = "../../../output/tests/perfetto/reader.rs"]
#[allow(dead_code)]
mod reader;
mod scene;
#[path = "../../../output/tests/perfetto/schema.rs"]
mod schema;
mod screen;

use common::*;
use fixtures::{FIXTURES, Fixture, Form};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use stride_test_support::noise::Noise;

/// Limits that every run breaks, so that reports have names.
const LIMITS: &str = "limits = [\"total <= 0\", \"openat <= 0\"]\n[[path]]\nglob = \"**\"\nlimits = [\"total <= 0\"]\n";

/// A directory with what the options of the fixtures name.
fn place(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let mut base = Recorded::new(&scratch);
    base.started(7, None, 1000);
    base.exit(&Recorded::call("getpid", 7, &[], 2000));
    base.ended(7, 3000);
    base.finish();
    std::fs::rename(scratch.path("rec"), scratch.path("base")).unwrap();
    std::fs::write(scratch.path("limits.toml"), LIMITS).unwrap();
    std::fs::write(scratch.path("advise.toml"), "").unwrap();
    std::fs::write(scratch.path("declared"), "/usr\n/lib\n").unwrap();
    std::fs::write(scratch.path("earlier.json"), fixtures::EARLIER_RUNS).unwrap();
    scratch
}

/// Shows the recording `rec` as the fixture says.
fn replay(scratch: &Scratch, fixture: &Fixture) -> Run {
    fixture.remove_output(&scratch.path(""));
    let mut command = bare_stride();
    command.arg("--replay=rec").args(fixture.options).current_dir(scratch.path(""));
    if fixture.file == "out" {
        command.args(["-o", "out"]);
    }
    Run::of(command)
}

/// Shows `rec` in all views of recordings, and checks each.
#[track_caller]
fn is_well_formed_in_every_view(scratch: &Scratch, what: &str) {
    for fixture in FIXTURES.iter().filter(|fixture| !fixture.live) {
        let run = replay(scratch, fixture);
        let of = format!("{what} {:?}", fixture.options);
        // A limit is broken, or an input was not declared.
        let checks = ["--budget=", "--inputs-declared="];
        let broken = fixture.options.iter().any(|option| checks.iter().any(|check| option.starts_with(check)));
        assert_eq!(run.code(), Some(if broken { 3 } else { 0 }), "{of}: {run:?}");
        check::is_printable(&run.err, &of);
        check::is_well_formed(scratch, fixture, &of);
    }
}

#[test]
fn a_recording_with_hostile_names() {
    let scratch = place("hostile-made-up");
    scene::record(&scratch);
    is_well_formed_in_every_view(&scratch, "made up");
    // The recording has something for each view, so that there was something to check.
    for fixture in FIXTURES.iter().filter(|fixture| !fixture.live) {
        replay(&scratch, fixture);
        let written = scratch.path(fixture.file).metadata().unwrap().len();
        assert!(written > 0, "{:?} shows nothing", fixture.options);
    }
}

/// Names of files, programs and threads, arguments, and data.
#[test]
fn a_program_with_hostile_names() {
    need!("/bin/cat");
    for &engine in engines() {
        let scratch = place(&format!("hostile-live{engine}"));
        let names: Vec<&OsStr> = scene::file_names().map(OsStr::from_bytes).collect();
        for name in &names {
            std::fs::write(scratch.path("").join(name), name.as_bytes()).unwrap();
        }
        let program = scratch.path("").join(OsStr::from_bytes(scene::PROGRAM));
        copy_program("/bin/cat", &program);
        let words = |options: &[&str]| -> Vec<OsString> {
            let options = options.iter().map(OsString::from);
            let command = [program.as_os_str()].into_iter().chain(names.iter().copied()).map(OsString::from);
            options.chain(command).collect()
        };
        let run = scratch.stride(words(&[engine, "-f", "-k", "-yy", "-s999", "--record=rec"]));
        // cat(1) does not find the names that begin with a dash or are options.
        assert!(run.status.code().is_some(), "{run:?}");
        check::is_printable(&run.trace, engine);
        is_well_formed_in_every_view(&scratch, engine);
        for fixture in FIXTURES.iter().filter(|fixture| fixture.live) {
            let of = format!("{engine} {:?}", fixture.options);
            if fixture.form == Form::Screen {
                screen::of_a_program(&scratch, engine, fixture);
            } else {
                scratch.stride(words(&[&[engine][..], fixture.options].concat()));
            }
            check::is_well_formed(&scratch, fixture, &of);
        }
        // Views of recordings are also views of programs.
        for fixture in FIXTURES.iter().filter(|fixture| !fixture.live && fixture.file != "out") {
            fixture.remove_output(&scratch.path(""));
            scratch.stride(words(&[&[engine, "-f"][..], fixture.options].concat()));
            check::is_well_formed(&scratch, fixture, &format!("live {engine} {:?}", fixture.options));
        }
    }
}

/// Bytes of a recording are changed, and it is cut. A view shows what can be read, or Stride says what is wrong: it
/// ends by itself, and neither panics nor takes memory without bounds.
#[test]
fn damaged_recordings() {
    let scratch = place("hostile-damaged");
    scene::record(&scratch);
    let whole = std::fs::read(scratch.path("rec")).unwrap();
    let mut noise = Noise(0x5eed);
    for round in 0..6 {
        let mut bytes = whole.clone();
        for _ in 0..=round {
            let at = noise.number() as usize % bytes.len();
            bytes[at] ^= 1 << (noise.number() % 8);
        }
        if round % 2 == 1 {
            bytes.truncate(noise.number() as usize % bytes.len());
        }
        std::fs::write(scratch.path("rec"), &bytes).unwrap();
        for fixture in FIXTURES.iter().filter(|fixture| !fixture.live) {
            let run = limited(&scratch, fixture);
            let of = format!("round {round}, {:?}", fixture.options);
            assert!(matches!(run.code(), Some(0 | 1 | 3)) && !run.err.contains("panicked"), "{of}: {run:?}");
            check::is_printable(&run.err, &of);
        }
    }
}

/// The replay, with a limit of memory.
fn limited(scratch: &Scratch, fixture: &Fixture) -> Run {
    fixture.remove_output(&scratch.path(""));
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\"", STRIDE, "--replay=rec"]).args(fixture.options);
    command.args(if fixture.file == "out" { &["-o", "out"][..] } else { &[] }).current_dir(scratch.path(""));
    Run::of(command)
}
