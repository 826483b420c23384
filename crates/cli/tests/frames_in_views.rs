//! The functions of scripts in every view that shows stacks or callers, live and replayed: with their files and lines, and with names that would act if a view did not
//! escape them.
//!
//! Each program asks in a loop if a file is there, by way of a function whose name or file is hostile, and the test makes this file when the trace has the functions.

mod browser;
mod common;

#[path = "common/nodes.rs"]
mod nodes;

#[path = "common/pythons.rs"]
mod pythons;

#[path = "../../output/tests/perfetto/reader.rs"]
#[allow(dead_code)] // Its own test uses the rest.
mod reader;
#[path = "../../output/tests/perfetto/schema.rs"]
mod schema;

use browser::Browser;
use common::script_frames::{Frame, frame_of};
use common::*;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A name of a function, and the beginning of the name of a file.
const HOSTILE: &str = "a;</script><img src=x onerror=hostile()>\"'&\nINJECTED 1";

const PYTHON: &str = r#"
import os, sys, time
HOSTILE = "a;</script><img src=x onerror=hostile()>\"'&\nINJECTED 1"

def check(end):
    return os.path.exists(end)

def hostile(end):
    return check(end)

names = {"co_name": HOSTILE, "co_qualname": HOSTILE} if sys.version_info >= (3, 11) else {"co_name": HOSTILE}
hostile.__code__ = hostile.__code__.replace(**names, co_filename="/srv/" + HOSTILE + ".py")
quick = lambda end: hostile(end)
while not quick(sys.argv[1]):
    time.sleep(0.001)
"#;

const NODE: &str = r#"
const HOSTILE = "a;</script><img src=x onerror=hostile()>\"'&\nINJECTED 1";
function check(end) {
  return require('fs').existsSync(end);
}
const source = "(check) => function $name(end) {\n  return check(end);\n}";
const $name = require('vm').runInThisContext(source, { filename: '/srv/' + HOSTILE + '.js' })(check);
const quick = (end) => $name(end);
while (!quick(process.argv[2])) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
"#;

/// A program, with what the test needs to know of it.
struct Script {
    interpreter: &'static Path,
    source: &'static str,
    /// `py`
    kind: &'static str,
    /// The name of each function, and a text that only its line has, innermost first. The second one is in the hostile file.
    functions: [(&'static str, &'static str); 4],
    /// The line of the second one.
    line_in_hostile: Option<u64>,
}

fn python() -> Option<Script> {
    let of_version = |minor| pythons::of_version(minor, pythons::Build::Usual).first();
    let functions = [
        ("check", "os.path.exists(end)"),
        (HOSTILE, "return check(end)"),
        ("<lambda>", "quick = "),
        ("<module>", "while not"),
    ];
    let interpreter = (8..16).rev().find_map(of_version)?;
    Some(Script { interpreter, source: PYTHON, kind: "py", functions, line_in_hostile: None })
}

fn node() -> Option<Script> {
    let functions = [
        ("check", "existsSync(end)"),
        ("$name", "return check(end)"),
        ("quick", "const quick"),
        ("<anonymous:1>", "while (!"),
    ];
    let interpreter = [22, 20, 18].into_iter().find_map(nodes::of_version)?;
    Some(Script { interpreter, source: NODE, kind: "js", functions, line_in_hostile: Some(2) })
}

impl Script {
    fn file(&self, scratch: &Scratch) -> PathBuf {
        scratch.path(&format!("app.{}", self.kind))
    }

    /// `check (app.py)`
    fn caller(&self) -> String {
        format!("check (app.{})", self.kind)
    }

    fn frames(&self, scratch: &Scratch) -> Vec<Frame> {
        let line = |text: &str| 1 + self.source.lines().position(|line| line.contains(text)).unwrap() as u64;
        let file = self.file(scratch).to_string_lossy().into_owned();
        let hostile = format!("/srv/{HOSTILE}.{}", self.kind);
        let frame = |(index, (name, text)): (usize, &(&str, &str))| match (index, self.line_in_hostile) {
            (1, of_own) => ((*name).to_owned(), hostile.clone(), of_own.unwrap_or_else(|| line(text))),
            _ => ((*name).to_owned(), file.clone(), line(text)),
        };
        self.functions.iter().enumerate().map(frame).collect()
    }

    /// A run that ends after the text has the functions.
    fn run(&self, scratch: &Scratch, options: &[&str]) {
        fs::write(self.file(scratch), self.source).unwrap();
        let end = scratch.path("end");
        let mut command = bare_stride();
        command.args(["-f", "-k", "-P"]).arg(&end).args(["-o", "trace"]).args(options);
        command.arg(self.interpreter).arg(self.file(scratch)).arg(&end);
        let mut stride = Killed(command.current_dir(scratch.path("")).stderr(Stdio::null()).spawn().unwrap());
        let last = format!("({}):{}\n", self.functions[3].0, self.frames(scratch)[3].2);
        let has_functions = || fs::read(scratch.path("trace")).is_ok_and(|trace| text(&trace).contains(&last));
        wait_until("the trace to have the functions", has_functions);
        fs::write(end, "").unwrap();
        assert!(stride.0.wait().unwrap().success());
    }
}

/// The text as lines for people show it.
fn in_line(text: &str) -> String {
    text.replace('\n', "\\u{a}")
}

/// The text as files for other programs show it.
fn escaped(text: &str) -> String {
    text.replace('\n', "\\n")
}

fn has_in_turn<T: PartialEq>(all: &[T], expected: &[T]) -> bool {
    all.windows(expected.len()).any(|part| part == expected)
}

fn in_every_view(script: &Script) {
    for engine in engines() {
        let scratch = Scratch::new(&format!("frames-views-{}{engine}", script.kind));
        let views = ["--record=rec", "--html=page.html", "--perfetto=pf", "--parquet=live", "--flamegraph=live.folded"];
        script.run(&scratch, &[&[engine, "-C", "--by=caller", "-U", "calls,name"], &views[..]].concat());
        let frames = script.frames(&scratch);
        let live = scratch.read("trace");
        text_has(&live, &frames);
        let calls = calls_of(&live, &script.caller()).unwrap_or_else(|| panic!("{engine}: {live}"));
        let (page, folded) = (scratch.page_data(), scratch.read("live.folded"));
        page_has(&page, &frames);
        folded_has(&folded, script, calls);
        perfetto_has(&scratch, script, &frames);
        tables_have(&scratch.path("live"), &frames);

        let replay = |options: &[&str]| {
            let run = scratch.replay(options);
            assert_eq!(run.code(), Some(0), "{engine} {options:?}: {run:?}");
            run.out
        };
        text_has(&replay(&["-k"]), &frames);
        json_has(&replay(&["--json", "-k"]), &frames);
        replay(&["--html=page.html", "-k"]);
        assert_eq!(scratch.page_data(), page, "{engine}");
        replay(&["--flamegraph=again.folded"]);
        assert_eq!(scratch.read("again.folded"), folded, "{engine}");
        replay(&["--perfetto=pf", "-k"]);
        perfetto_has(&scratch, script, &frames);
        replay(&["--parquet=again", "-k"]);
        tables_have(&scratch.path("again"), &frames);
        let counted = |options: &[&str], row: &str| {
            calls_of(&replay(&[&["-U", "calls,name"], options].concat()), row).unwrap_or(0)
        };
        assert_eq!(counted(&["--by=caller"], &script.caller()), calls, "{engine}");
        // A function is chosen by its name, and by its file.
        for (name, file, _) in &frames {
            for chosen in [name, file] {
                let chosen = format!("--called-from=^{}$", regex::escape(chosen));
                let calls_from = counted(&["--by=caller", &chosen], &script.caller());
                assert!(calls_from > 0 && calls_from <= calls, "{engine} {chosen}: {calls_from} of {calls}");
            }
        }
        let no_function = format!("--called-from=^{}$", "hostil");
        assert_eq!(counted(&["--by=caller", &no_function], &script.caller()), 0, "{engine}");
        let stacks = replay(&["--by=stack", "-U", "calls,name"]);
        let names: Vec<String> = frames.iter().rev().map(|(name, ..)| in_line(name).replace(';', ":")).collect();
        assert!(stacks.lines().any(|row| row.contains(&names.join(";"))), "{engine}: {stacks}");
    }
}

/// ` > /srv/app.py(check):7`
#[track_caller]
fn text_has(trace: &str, frames: &[Frame]) {
    let lines: Vec<&str> = trace.lines().collect();
    let expected: Vec<String> =
        frames.iter().map(|(name, file, at)| format!(" > {}({}):{at}", in_line(file), in_line(name))).collect();
    let expected: Vec<&str> = expected.iter().map(|line| &**line).collect();
    assert!(has_in_turn(&lines, &expected), "{expected:#?}: {trace}");
}

#[track_caller]
fn json_has(trace: &str, frames: &[Frame]) {
    let mut calls = trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let has = |call: &Value| {
        let stack: Vec<Frame> = call["stack"].as_array().into_iter().flatten().map(frame_of).collect();
        has_in_turn(&stack, frames)
    };
    assert!(calls.any(|call| has(&call)), "{trace}");
}

/// The calls of a row in a table of calls and names.
fn calls_of(table: &str, row: &str) -> Option<u64> {
    let counted = table.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, name)| *name == row));
    counted.map(|(calls, _)| calls.parse().unwrap())
}

/// The data of the page have a stack with the functions and their places.
#[track_caller]
fn page_has(page: &Value, frames: &[Frame]) {
    let functions = page["functions"].as_array().unwrap();
    let expected: Vec<Value> = frames
        .iter()
        .map(|(name, file, line)| Value::from(vec![escaped(name), format!("{}:{line}", escaped(file))]))
        .collect();
    let has = |stack: &Value| {
        let indices = stack.as_array().unwrap().iter().map(|index| index.as_u64().unwrap() as usize);
        has_in_turn(&indices.map(|index| functions[index].clone()).collect::<Vec<_>>(), &expected)
    };
    assert!(page["stacks"].as_array().unwrap().iter().any(has), "{functions:#?}");
}

/// The calls of the functions are in one line, which a name with a line in it does not cut.
#[track_caller]
fn folded_has(folded: &str, script: &Script, calls: u64) {
    let names: Vec<String> = script.functions.iter().rev().map(|(name, _)| escaped(name).replace(';', ":")).collect();
    let lines = folded.lines().map(|line| line.rsplit_once(' ').unwrap());
    let with = lines.filter(|(stack, _)| stack.contains(&format!(";{};", names.join(";"))));
    let counted: u64 = with.map(|(_, number)| number.parse::<u64>().unwrap()).sum();
    assert!(counted > 0 && counted <= calls, "{counted} of {calls}: {folded}");
}

#[track_caller]
fn perfetto_has(scratch: &Scratch, script: &Script, frames: &[Frame]) {
    let read = reader::read(&fs::read(scratch.path("pf")).unwrap());
    fs::remove_file(scratch.path("pf")).unwrap();
    let expected: Vec<String> =
        frames.iter().rev().map(|(name, file, line)| format!("{} {}:{line}", escaped(name), escaped(file))).collect();
    let all = read.calls();
    let with: Vec<_> = all.iter().filter(|call| has_in_turn(&call.stack, &expected)).collect();
    assert!(!with.is_empty(), "{expected:#?} {:#?}", all.last().map(|call| &call.stack));
    let caller = reader::Arg::Text(script.caller());
    assert!(with.iter().all(|call| call.args.get("caller") == Some(&caller)));
}

/// The table of stacks has a row for each function, as it is named, and says that the innermost one of the script is the caller.
#[track_caller]
fn tables_have(directory: &Path, frames: &[Frame]) {
    let mut files = vec![directory.join("stacks")];
    while files.last().is_some_and(|path| path.is_dir()) {
        let inside = fs::read_dir(files.pop().unwrap()).unwrap();
        files.extend(inside.map(|entry| entry.unwrap().path()));
    }
    let reader = SerializedFileReader::new(File::open(&files[0]).unwrap()).unwrap();
    let rows: Vec<Vec<(String, String)>> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_column_iter().map(|(name, value)| (name.clone(), value.to_string())).collect())
        .collect();
    let value = |row: &[(String, String)], name: &str| {
        let value = &row.iter().find(|(column, _)| column == name).unwrap().1;
        value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value).to_owned()
    };
    let told = |row: &Vec<(String, String)>| {
        let [function, file, line, is_caller] = ["function", "file", "line", "is_caller"].map(|name| value(row, name));
        (function, file, line, is_caller)
    };
    let rows: Vec<_> = rows.iter().map(told).collect();
    let expected: Vec<_> = frames
        .iter()
        .enumerate()
        .map(|(depth, (name, file, line))| (name.clone(), file.clone(), line.to_string(), (depth == 0).to_string()))
        .collect();
    assert!(has_in_turn(&rows, &expected), "{expected:#?} {rows:#?}");
}

#[test]
fn python_in_every_view() {
    let Some(script) = python() else { skip!("no Python 3.8 to 3.15") };
    in_every_view(&script);
}

#[test]
fn node_in_every_view() {
    let Some(script) = node() else { skip!("no Node 18, 20 or 22") };
    in_every_view(&script);
}

/// A browser shows the functions with their lines, and takes no name for markup.
#[test]
fn scripts_in_a_browser() {
    let scripts: Vec<Script> = python().into_iter().chain(node()).collect();
    if scripts.is_empty() {
        skip!("neither Python 3.8 to 3.15 nor Node 18, 20 or 22");
    }
    for script in scripts {
        let scratch = Scratch::new(&format!("frames-browser-{}", script.kind));
        let Some(mut browser) = Browser::start(&scratch.path("")) else { skip!("no chromium") };
        script.run(&scratch, &["--engine=ptrace", "--html=page.html", "--record=rec"]);
        let frames = script.frames(&scratch);
        browser.open(&scratch.path("page.html"), "light");
        browser.click("#slowest-body summary");
        browser.wait("document.querySelectorAll('#slowest-body .frames li').length > 2");
        let shown = browser
            .text("[...document.querySelectorAll('#slowest-body .frames li')].map(li => li.textContent).join('\\0')");
        let shown: Vec<&str> = shown.split('\0').collect();
        let expected: Vec<String> =
            frames.iter().map(|(name, file, line)| format!("{}{}:{line}", escaped(name), escaped(file))).collect();
        assert!(
            has_in_turn(&shown, &expected.iter().map(|text| &**text).collect::<Vec<_>>()),
            "{expected:#?} {shown:#?}"
        );
        is_inert(&mut browser);

        scratch.replay(&["--flamegraph=flames.html"]);
        browser.open(&scratch.path("flames.html"), "light");
        for (name, file, _) in &frames {
            let [name, file] = [name, file].map(|text| Value::from(escaped(text)));
            // (The boxes are drawn again when the page gets its size.)
            let told = browser.text(&format!(
                "(() => {{
                    const is = (box) => tree.name(box) === {name} && tree.file(box) === {file};
                    [...document.querySelectorAll('.box')].find((node) => is(Number(node.dataset.box)))?.click();
                    return document.querySelector('#detail').textContent;
                }})()"
            ));
            assert!(told.starts_with(&format!("{} in {}", name.as_str().unwrap(), file.as_str().unwrap())), "{told}");
            is_inert(&mut browser);
        }
    }
}

/// The page has no markup but its own.
#[track_caller]
fn is_inert(browser: &mut Browser) {
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.number("document.querySelectorAll('img').length + document.scripts.length"), 2.0);
}
