//! The subs of Perl programs among the functions of their stacks (`-k`), with the Perl that this machine has.
//!
//! `tests/stacks/frames.pl` tells the frames of each of its calls as Perl itself knows them.

mod common;

use common::script_frames::*;
use common::*;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const CALLS: [&str; 2] = ["-e", "trace=stat,newfstatat,statx"];

fn program() -> PathBuf {
    root().join("tests/stacks/frames.pl")
}

/// The executable of a Perl with a version and a kind of which frames are known.
fn perl() -> Option<String> {
    let program =
        "use Config; print join qq(\\n), $^V, $Config{usemultiplicity} // q(), $Config{uselongdouble} // q(), $^X";
    let output = Command::new("perl").args(["-e", program]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let [version, "define", "", path] = text.lines().collect::<Vec<_>>()[..] else { return None };
    ["v5.36.", "v5.40."].iter().any(|known| version.starts_with(known)).then(|| path.to_owned())
}

#[test]
fn frames_are_those_that_perl_knows() {
    let Some(perl) = perl() else {
        skip!("no Perl 5.36 or 5.40 with threads");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("perl-frames{engine}"));
        let calls = calls(&traced(&scratch, engine, &[&perl], &program(), &CALLS));
        let told = told(&scratch);
        assert!(told.len() > 130, "{engine}: {}", told.len());
        are_as_told(engine, "main::mark", None, &told, &calls);
        in_their_order(&calls, engine);
    }
}

/// Frames of Perl stand where Perl called them: between the sub that compares and the one that sorts is the sort.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let in_order = |stack: &[Value]| {
        let place = |wanted: &str| stack.iter().position(|frame| frame["symbol"].as_str() == Some(wanted));
        let (inner, outer) = (place("main::by_number")?, place("main::sorts")?);
        let between = stack.get(inner + 1..outer)?;
        let is_native = between.iter().all(|frame| frame.get("module").is_some());
        let sorts = between.iter().any(|frame| frame["symbol"].as_str() == Some("Perl_pp_sort"));
        Some(is_native && sorts && place("main::mark")? < inner && outer < place("perl_run")?)
    };
    assert_eq!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count(), 1, "{run}: {calls:#?}");
}

/// Subs are callers as other functions are, also in recordings.
#[test]
fn as_callers() {
    let Some(perl) = perl() else {
        skip!("no Perl 5.36 or 5.40 with threads");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("perl-callers{engine}"));
        let trace = traced(&scratch, engine, &[&perl], &program(), &[&CALLS[..], &["--record=rec"]].concat());
        let marks = |options: &[&str]| calls_of_caller(&scratch, "main::mark (frames.pl)", options);
        assert_eq!(marks(&[]), calls(&trace).len(), "{engine}");
        assert_eq!(marks(&["--called-from=^main::sorts$"]), 7, "{engine}");
        assert_eq!(marks(&["--called-from=^Square::area$"]), 2, "{engine}");
        // Perl looks for files that are required.
        let run = scratch.replay(&["--by=caller", "-U", "calls,name"]);
        let files = |line: &str| line.trim_end().ends_with("main::files (frames.pl)");
        assert!(run.out.lines().any(files), "{engine}: {}", run.out);
    }
}
