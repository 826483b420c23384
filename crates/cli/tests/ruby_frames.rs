//! The functions of Ruby programs among the functions of their stacks (`-k`), with the Ruby that this machine has.
//!
//! `tests/stacks/frames.rb` tells the frames of each of its calls as Ruby itself knows them.

mod common;

#[path = "common/script_frames.rs"]
mod script_frames;

use common::*;
use script_frames::*;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const CALLS: [&str; 2] = ["-e", "trace=stat,newfstatat,statx,access,faccessat,faccessat2"];

fn program() -> PathBuf {
    root().join("tests/stacks/frames.rb")
}

/// The executable of a Ruby with a version of which frames are known.
fn ruby() -> Option<String> {
    let output = Command::new("ruby").args(["-e", "puts RUBY_ENGINE, RUBY_VERSION, RbConfig.ruby"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let [engine, version, path] = text.lines().collect::<Vec<_>>()[..] else { return None };
    (engine == "ruby" && version.starts_with("3.1.")).then(|| path.to_owned())
}

#[test]
fn frames_are_those_that_ruby_knows() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("ruby-frames{engine}"));
        let calls = calls(&traced(&scratch, engine, &[&ruby], &program(), &CALLS));
        are_as_told(engine, "mark", Some("made_large"), &told(&scratch), &calls);
        in_their_order(&calls, engine);
    }
}

/// Frames of Ruby stand where Ruby called them: between the block that a C function calls and the function that calls this C function is the C function itself.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let in_order = |stack: &[Value]| {
        let place =
            |wanted: &str| stack.iter().position(|frame| frame["symbol"].as_str().is_some_and(|name| name == wanted));
        let (inner, outer) = (place("block in sorted")?, place("sorted")?);
        let between = stack.get(inner + 1..outer)?;
        let is_native = !between.is_empty() && between.iter().all(|frame| frame.get("module").is_some());
        Some(is_native && place("mark")? < inner)
    };
    assert!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count() >= 2, "{run}: {calls:#?}");
}

/// Functions of Ruby are callers as others are, also in recordings, and Ruby's own library and installed packages are not.
#[test]
fn as_callers() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("ruby-callers{engine}"));
        traced(&scratch, engine, &[&ruby], &program(), &[&CALLS[..], &["--record=rec"]].concat());
        let told = told(&scratch).len();
        let marks = |options: &[&str]| calls_of_caller(&scratch, "mark (frames.rb)", options);
        assert_eq!(marks(&[]), told, "{engine}");
        assert_eq!(marks(&["--called-from=^block in sorted$"]), 3, "{engine}");
        // The directory that Ruby's library makes is the program's doing.
        let text = scratch.replay(&["-k", "--called-from=^files$"]).out;
        assert!(text.lines().any(|line| is(line, r" > .*/lib/ruby/.*\(mktmpdir\):\d+")), "{engine}: {text}");
        let library = scratch.replay(&["--by=caller", "-U", "calls,name"]).out;
        assert!(!library.contains("mktmpdir"), "{engine}: {library}");
    }
}
