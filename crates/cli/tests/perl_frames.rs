//! The subs of Perl programs among the functions of their stacks (`-k`), with the Perl that this machine has.
//!
//! `tests/stacks/frames.pl` tells the frames of each of its calls as Perl itself knows them.

mod common;

use common::script_frames::*;
use common::*;
use serde_json::Value;
use std::path::PathBuf;

const CALLS: [&str; 2] = ["-e", "trace=stat,newfstatat,statx"];

fn program() -> PathBuf {
    root().join("tests/stacks/frames.pl")
}

/// The executable of a Perl of which frames are known: of one of these versions, and with pointers of so many bytes.
fn perl_of(versions: &[&str], pointer: &str) -> Option<String> {
    let program = "use Config; print join qq(\\n), $^V, $Config{ptrsize}, $^X
        if ($Config{usemultiplicity} // q()) eq q(define) && ($Config{uselongdouble} // q()) eq q()";
    interpreter("perl", program, versions, pointer)
}

fn perl() -> Option<String> {
    perl_of(&["v5.36.", "v5.40.", "v5.42.", "v5.44."], "8")
}

#[test]
fn frames_are_those_that_perl_knows() {
    let Some(perl) = perl() else {
        skip!("no Perl 5.36, 5.40, 5.42 or 5.44 with threads");
    };
    are_those_that_it_knows(&perl, "perl-frames");
}

#[test]
fn frames_of_32_bits_are_those_that_perl_knows() {
    let Some(perl) = perl_of(&["v5.36.", "v5.40.", "v5.42."], "4") else {
        skip!("no Perl 5.36, 5.40 or 5.42 of 32 bits with threads");
    };
    are_those_that_it_knows(&perl, "perl-frames-of-32-bits");
}

fn are_those_that_it_knows(perl: &str, name: &str) {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("{name}{engine}"));
        let calls = calls(&traced(&scratch, engine, &[perl], &program(), &CALLS));
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
        // (Perl 5.38 and later have no name for it, if they are stripped.)
        let sorts = between.iter().any(|frame| frame.get("symbol").is_none_or(|name| name == "Perl_pp_sort"));
        Some(is_native && sorts && place("main::mark")? < inner && outer < place("perl_run")?)
    };
    assert_eq!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count(), 1, "{run}: {calls:#?}");
}

/// Subs are callers as other functions are, also in recordings.
#[test]
fn as_callers() {
    let Some(perl) = perl() else {
        skip!("no Perl 5.36, 5.40, 5.42 or 5.44 with threads");
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
