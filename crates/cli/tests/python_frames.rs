//! The functions of Python programs among the functions of their stacks (`-k`), with every version of Python that this machine has.
//!
//! `tests/stacks/frames.py` tells the frames of each of its calls as Python itself knows them.

mod common;

#[path = "common/pythons.rs"]
mod pythons;

#[path = "common/packages.rs"]
mod packages;

#[path = "common/web_server.rs"]
mod web_server;

use common::script_frames::*;
use common::*;
use pythons::Build;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use web_server::{Package, WebServer};

fn run(scratch: &Scratch, engine: &str, python: &Path, further: &[&str]) -> String {
    let program = root().join("tests/stacks/frames.py");
    let options = [engine, "-f", "-k", "--json", "--stack-trace-frame-limit=4096", "-e", "trace=newfstatat,stat,statx"];
    let command = [&python.to_string_lossy(), &program.to_string_lossy(), "told", "trace"].map(str::to_owned);
    let run = scratch.stride(options.iter().chain(further).map(|&option| option.to_owned()).chain(command));
    assert_eq!(run.code(), Some(0), "{python:?} {engine}: {}", run.err);
    run.trace
}

fn frames_are_those_that_python_knows(minor: u32, build: Build) {
    let pythons = pythons::of_version(minor, build);
    if pythons.is_empty() {
        skip!("no Python 3.{minor} ({build:?})");
    }
    for (&engine, python) in engines().iter().flat_map(|engine| pythons.iter().map(move |python| (engine, python))) {
        let scratch = Scratch::new(&format!("python-frames-3.{minor}{build:?}{engine}"));
        let trace = run(&scratch, engine, python, &[]);
        let told = told(&scratch);
        let calls = calls(&trace);
        assert!(calls.len() > told.len(), "{python:?} {engine}: {} of {} calls", calls.len(), told.len());
        for (number, stack) in &calls {
            let frames = frames_of_scripts(stack);
            let [mark, frames @ ..] = &frames[..] else {
                panic!("{python:?} {engine} {number}: no frames: {stack:#?}")
            };
            assert_eq!(mark.0, "mark", "{python:?} {engine} {number}");
            let told = &told[number];
            let (frames, told) = looked_at(frames, told);
            let told = &as_far_as_read(frames, told);
            let is_same =
                |(frame, told): (&Frame, &Frame)| frame == told || has_long_table(told) && is_without_line(frame, told);
            let is_right = frames.len() == told.len() && frames.iter().zip(told).all(is_same);
            assert!(is_right, "{python:?} {engine} {number}: {frames:#?} {told:#?}");
        }
        in_their_order(&calls, &format!("{python:?} {engine}"));
    }
}

/// At most 512 frames are looked at, and a frame says so if there are more.
fn looked_at<'a>(frames: &'a [Frame], told: &'a [Frame]) -> (&'a [Frame], &'a [Frame]) {
    match frames {
        [frames @ .., last] if told.len() > 512 && last.0 == "[python: more frames]" && frames.len() >= 500 => {
            (frames, &told[..frames.len()])
        }
        _ => (frames, told),
    }
}

/// A task has more tasks behind it than are looked at, and a frame says so.
fn as_far_as_read(frames: &[Frame], told: &[Frame]) -> Vec<Frame> {
    let Some(last) = frames.iter().position(|frame| frame.0 == "[awaited by tasks that were not read]") else {
        return told.to_vec();
    };
    let behind = frames.len() - last - 1;
    assert!(last > 60 && told.len() > 400 && behind < 20, "{frames:#?}");
    [&told[..last], &frames[last..=last], &told[told.len() - behind..]].concat()
}

/// The program drops this code at once, and its table of lines is too long to be copied with each stack.
fn has_long_table((_, file, _): &Frame) -> bool {
    file.starts_with("<long")
}

fn is_without_line(frame: &Frame, told: &Frame) -> bool {
    (&frame.0, &frame.1, frame.2) == (&told.0, &told.1, 0)
}

/// Frames of Python stand where their interpreter called them: between the key function of a sort and the function that sorts are those of the sort.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let name = |frame: &Value| frame["symbol"].as_str().unwrap_or_default().to_owned();
    let in_order = |stack: &[Value]| {
        let place = |wanted: &str| stack.iter().position(|frame| name(frame).ends_with(wanted));
        let (key, sorts) = (place("<lambda>")?, place("called_back")?);
        let between = stack.get(key + 1..sorts)?;
        let is_native = !between.is_empty() && between.iter().all(|frame| frame.get("module").is_some());
        Some(is_native && place("mark")? < key && sorts < place("Py_BytesMain")?)
    };
    assert!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count() >= 8, "{run}: {calls:#?}");
    // All evaluation functions have given their places to what they run.
    let has = |stack: &[Value], function: &str| stack.iter().any(|frame| name(frame).starts_with(function));
    let left = calls
        .iter()
        .filter(|(_, stack)| has(stack, "_PyEval_EvalFrameDefault") && !has(stack, "[python: more frames]"));
    assert_eq!(left.count(), 0, "{run}");
}

/// Functions of Python are callers as others are, also in recordings.
#[test]
fn as_callers() {
    let of_version = |minor| pythons::of_version(minor, Build::Usual).first();
    let Some(python) = (8..16).rev().find_map(of_version) else {
        skip!("no Python 3.8 to 3.15");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("python-callers{engine}"));
        run(&scratch, engine, python, &["--record=rec"]);
        let told = told(&scratch).len();
        let row = |options: &[&str], name: &str| -> usize {
            let run = scratch.replay(&[&["--by=caller", "-U", "calls,name"], options].concat());
            let counted = run.out.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, row)| *row == name));
            counted.map_or(0, |(calls, _)| calls.parse().unwrap())
        };
        // (The child makes three calls as its parent does.)
        assert_eq!(row(&[], "mark (frames.py)"), told + 3, "{engine}");
        assert!(row(&[], "known (frames.py)") > 0, "{engine}");
        assert_eq!(row(&["--called-from=^signalled$"], "mark (frames.py)"), 1, "{engine}");
        assert_eq!(row(&["--called-from=frames\\.py$"], "mark (frames.py)"), told + 3, "{engine}");
        let text = scratch.replay(&["-k", "--called-from=^signalled$"]).out;
        assert!(is_in_text(&text, "mark") && is_in_text(&text, "signalled"), "{engine}: {text}");
    }
}

const DEEP: &str = "
import os, sys
sys.setrecursionlimit(5000)
def deep(depth):
    return deep(depth - 1) if depth else os.path.exists('/stride-mark')
def outermost(depth):
    return deep(depth)
for n in range(3):
    outermost(int(sys.argv[1]))
";

/// Where functions of a script are missing from a stack, one of them may match: that is said.
#[test]
fn functions_that_may_be_among_those_that_are_missing() {
    let Some(python) = (8..16).rev().find_map(|minor| pythons::of_version(minor, Build::Usual).first()) else {
        skip!("no Python 3.8 to 3.15");
    };
    let python = python.to_string_lossy();
    let command = |depth| ["-P", "/stride-mark", "-U", "calls,name", "-c", &*python, "-c", DEEP, depth];
    for engine in engines() {
        let scratch = Scratch::new(&format!("python-deep{engine}"));
        let run = scratch.stride([&[engine, "--called-from=^outermost$"], &command("1000")[..]].concat());
        let left_out = "--called-from: 3 calls were left out of which the stack is not known, or only in part";
        assert!(run.err.contains(left_out) && !run.trace.contains(" 3 total"), "{engine}: {run:?}");
    }
    let scratch = Scratch::new("python-not-deep");
    for (chosen, are_there) in [("^outermost$", true), ("^nowhere$", false)] {
        let run = scratch.stride([&[&*format!("--called-from={chosen}")], &command("9")[..]].concat());
        assert!(run.trace.contains(" 3 total") == are_there && run.err.is_empty(), "{chosen}: {run:?}");
    }
}

/// A call is found by the task that waits for it, and this task is not taken for the caller.
#[test]
fn tasks_that_wait_are_no_callers() {
    let Some(python) = pythons::of_version(14, Build::Usual).first() else {
        skip!("no Python 3.14");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("python-tasks{engine}"));
        run(&scratch, engine, python, &["--record=rec"]);
        let calls = |chosen: &str| {
            let caller = "mark (frames.py)";
            calls_of_caller(&scratch, caller, &[&format!("--called-from={chosen}")])
        };
        let told = told(&scratch);
        let with = |name: &str| told.values().filter(|frames| frames.iter().any(|frame| frame.0 == name)).count();
        for (chosen, name) in [("^await in_group$", "await in_group"), ("the task one]$", "[awaited by the task one]")]
        {
            assert!(with(name) > 0 && calls(chosen) == with(name), "{engine} {name}: {} {}", calls(chosen), with(name));
        }
        let run = scratch.replay(&["--by=caller", "-U", "calls,name"]);
        assert!(!run.out.contains("await") && run.out.contains("mark (frames.py)"), "{engine}: {}", run.out);
    }
}

/// ` > /srv/frames.py(mark):22`
fn is_in_text(text: &str, function: &str) -> bool {
    text.lines().any(|line| is(line, &format!(r" > .*/frames\.py\({function}\):\d+")))
}

/// A package that is installed: it finds the function of a request.
const ROUTER: &str = r#"
class Router:
    def __init__(self):
        self.routes = {}

    def route(self, path):
        return lambda function: self.routes.setdefault(path, function)

    def __call__(self, environment, start):
        function = self.routes[environment["PATH_INFO"]]
        text = function().encode()
        start("200 OK", [("Content-Length", str(len(text)))])
        return [text]
"#;

/// The advice about a web server names the line of its own that reads a file over and over, and not those of the package and of Python in between.
#[test]
fn advice_for_a_web_server() {
    let Some(python) = (8..16).rev().find_map(|minor| pythons::of_version(minor, Build::Usual).first()) else {
        skip!("no Python 3.8 to 3.15");
    };
    let server = WebServer {
        runtime: python,
        script: "web.py",
        reads: "open(SETTINGS)",
        package: Package::Written("site-packages/router.py", ROUTER),
        advise: "--advise=all",
        told: &["settings.json: 2,000 calls"],
    };
    server.is_found_by_its_line();
}

/// The same with Flask, and with clients in a process of their own.
#[test]
fn advice_for_a_flask_server() {
    const FLASK: &str = "flask==3.0.3";
    let found = |minor| Some((minor, pythons::of_version(minor, Build::Usual).first()?));
    let Some((minor, python)) = (8..16).rev().find_map(found) else {
        skip!("no Python 3.8 to 3.15");
    };
    let flask = packages::installed(&format!("{}-python-3.{minor}", FLASK.replace("==", "-")), |place| {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", FLASK, "--target"]).arg(place);
        pip
    });
    let flask = match flask {
        Ok(flask) => flask,
        Err(why) => skip!("{why}"),
    };
    let server = WebServer {
        runtime: python,
        script: "flask_server.py",
        reads: "open(SETTINGS)",
        package: Package::Installed("site-packages", flask),
        advise: "--advise=all",
        // A finding about the file, or one about each request. The second comes first where the processes have waited for a CPU.
        told: &[
            "settings.json was opened and closed 6,000 times",
            "settings.json: 6,000 calls",
            "opened 20 files on average, and only 1 different",
        ],
    };
    server.is_found_by_its_line();
}

/// The native functions are shown as they are, and the run ends with a sentence.
#[test]
fn a_version_that_is_not_known() {
    let Some(python) = pythons::of_version(7, Build::Usual).first() else {
        skip!("no Python 3.7");
    };
    for engine in engines() {
        let scratch = Scratch::new(&format!("python-unknown{engine}"));
        let python = python.to_string_lossy();
        let program = "import os\ntry:\n  os.stat('/stride-mark')\nexcept OSError: pass";
        let run = scratch.stride([engine, "-k", "-P", "/stride-mark", &python, "-c", program]);
        assert!(run.trace.contains("(_PyEval_EvalFrameDefault+"), "{engine}: {}", run.trace);
        assert!(!run.trace.contains("[python"), "{engine}: {}", run.trace);
        assert!(run.err.contains("Stacks lack the functions of scripts that Python 3.7 runs"), "{engine}: {}", run.err);
    }
}

/// PyPy tells nothing of its functions, and that is said.
#[test]
fn pypy_is_not_known() {
    need!("/usr/bin/pypy3");
    for engine in engines() {
        let scratch = Scratch::new(&format!("pypy{engine}"));
        let program = "import os\ntry:\n  os.stat('/stride-mark')\nexcept OSError: pass";
        let run = scratch.stride([engine, "-f", "-k", "-P", "/stride-mark", "/usr/bin/pypy3", "-c", program]);
        assert!(run.trace.contains("libpypy3"), "{engine}: {}", run.trace);
        assert!(run.err.contains("Stacks lack the functions of scripts that PyPy 3."), "{engine}: {}", run.err);
    }
}

macro_rules! versions {
    ($($name:ident: $minor:literal $build:ident)*) => { $(
        #[test]
        fn $name() {
            frames_are_those_that_python_knows($minor, Build::$build);
        }
    )* };
}
versions! {
    python_3_8: 8 Usual
    python_3_9: 9 Usual
    python_3_10: 10 Usual
    python_3_11: 11 Usual
    python_3_12: 12 Usual
    python_3_13: 13 Usual
    python_3_14: 14 Usual
    python_3_15: 15 Usual
    python_3_13_without_lock: 13 WithoutLock
    python_3_11_of_32_bits: 11 Narrow
    python_3_13_of_32_bits: 13 Narrow
    python_3_14_of_32_bits: 14 Narrow
}
