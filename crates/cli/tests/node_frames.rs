//! The functions of JavaScript among the functions of stacks (`-k`), with every version of Node that this machine has.
//!
//! `tests/stacks/frames.js` tells the frames of each of its calls as V8 itself knows them.

mod common;

#[path = "common/nodes.rs"]
mod nodes;

#[path = "common/packages.rs"]
mod packages;

#[path = "common/web_server.rs"]
mod web_server;

use common::script_frames::*;
use common::*;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use web_server::{Package, WebServer};

/// A frame of JavaScript has a name, but no module.
fn frames_of_javascript(stack: &[Value]) -> Vec<Frame> {
    let is_script = |frame: &&Value| frame.get("module").is_none() && frame.get("symbol").is_some();
    stack.iter().filter(is_script).map(frame_of).collect()
}

fn run(scratch: &Scratch, engine: &str, node: &Path, further: &[&str]) -> String {
    let program = root().join("tests/stacks/frames.js");
    let options = [engine, "-f", "-k", "--json", "--stack-trace-frame-limit=4096", "-e", "trace=statx,stat"];
    let command = [&node.to_string_lossy(), &program.to_string_lossy(), "told", "trace"].map(str::to_owned);
    let run = scratch.stride(options.iter().chain(further).map(|&option| option.to_owned()).chain(command));
    assert_eq!(run.code(), Some(0), "{node:?} {engine}: {}", run.err);
    run.trace
}

fn frames_are_those_that_v8_knows(major: u32) {
    let Some(node) = nodes::of_version(major) else {
        skip!("no Node {major}");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("node-frames-{major}{engine}"));
        let trace = run(&scratch, engine, node, &[]);
        let told = told(&scratch);
        let calls = calls(&trace);
        assert_eq!(calls.len(), told.len(), "{node:?} {engine}");
        let mut whole = 0;
        for (number, stack) in &calls {
            let frames = frames_of_javascript(stack);
            match compared(&frames, &told[number]) {
                Compared::Equal => whole += 1,
                Compared::Lacks => {}
                Compared::Differs => panic!("{node:?} {engine} {number}: {frames:#?} {:#?}", told[number]),
            }
        }
        // Under eBPF the program runs on, and some of its code is gone when Stride looks at it. Such stacks say so.
        let least = if engine == "--engine=ptrace" && major < 24 { calls.len() } else { calls.len() / 2 };
        assert!(whole >= least, "{node:?} {engine}: {whole} of {} stacks are whole", calls.len());
        in_their_order(&calls, &format!("{node:?} {engine}"));
    }
}

enum Compared {
    Equal,
    /// A frame in brackets or one without a line says that something is missing, and the other frames are right.
    Lacks,
    Differs,
}

/// Compares the frames behind that of the function which makes the calls.
fn compared(frames: &[Frame], told: &[Frame]) -> Compared {
    let is_unknown = |frame: &Frame| frame.0.starts_with("[node: ");
    let Some(mark) = frames.iter().position(|frame| frame.0 == "mark") else {
        return if frames.iter().any(is_unknown) { Compared::Lacks } else { Compared::Differs };
    };
    let frames = &frames[mark + 1..];
    let lacks = |frame: &Frame| is_unknown(frame) || frame.2 == 0;
    if !frames.iter().any(lacks) {
        let is_equal = frames.len() == told.len() && frames.iter().zip(told).all(|(frame, told)| is_same(frame, told));
        return if is_equal { Compared::Equal } else { Compared::Differs };
    }
    // Those that are shown are among those that were told, in this order.
    let mut rest = told.iter();
    let mut shown = frames.iter().filter(|frame| !is_unknown(frame));
    let is_among = shown.all(|frame| rest.any(|told| is_same(frame, told) || is_without_line(frame, told)));
    if is_among { Compared::Lacks } else { Compared::Differs }
}

/// Stride names functions that have no name by the line with which they begin. Names that a program gives while it runs are not known.
fn is_same(frame: &Frame, told: &Frame) -> bool {
    (&frame.1, frame.2) == (&told.1, told.2) && is_same_name(frame, told)
}

fn is_without_line(frame: &Frame, told: &Frame) -> bool {
    (&frame.1, frame.2) == (&told.1, 0) && is_same_name(frame, told)
}

fn is_same_name(frame: &Frame, told: &Frame) -> bool {
    let is_anonymous = frame.0.starts_with("<anonymous:");
    let is_initializer = told.0.ends_with("_initializer>") && (frame.0 == "Class" || is_anonymous);
    match told.0.as_str() {
        "" | "computed1" => is_anonymous,
        name if name.starts_with('[') => is_anonymous,
        name => frame.0 == name || is_initializer,
    }
}

/// Frames of JavaScript stand where V8 called them: between the function that `forEach` calls and the one that calls it is `forEach` itself.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let name = |frame: &Value| frame["symbol"].as_str().unwrap_or_default().to_owned();
    let in_order = |stack: &[Value]| {
        let place = |wanted: &str| stack.iter().position(|frame| name(frame) == wanted);
        let (each, caller) = (place("Builtins_ArrayForEach")?, place("calledBack")?);
        Some(place("mark")? < place("recursion")? && place("recursion")? < each && each < caller)
    };
    assert!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count() >= 2, "{run}");
}

/// Functions of JavaScript are callers as others are, also in recordings.
#[test]
fn as_callers() {
    let Some(node) = [18, 20, 22].into_iter().rev().find_map(nodes::of_version) else {
        skip!("no Node 18, 20 or 22");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("node-callers{engine}"));
        run(&scratch, engine, node, &["--record=rec"]);
        let row = |options: &[&str], name: &str| -> usize {
            let run = scratch.replay(&[&["--by=caller", "-U", "calls,name"], options].concat());
            let counted = run.out.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, row)| *row == name));
            counted.map_or(0, |(calls, _)| calls.parse().unwrap())
        };
        let told = told(&scratch).len();
        let marks = row(&[], "mark (frames.js)");
        assert!(marks > told * 9 / 10 && marks <= told, "{engine}: {marks} of {told}");
        assert!(row(&["--called-from=^overLines$"], "mark (frames.js)") > 5, "{engine}");
        let text = scratch.replay(&["-k", "--called-from=^overLines$"]).out;
        let is_in_text =
            |function: &str| text.lines().any(|line| is(line, &format!(r" > .*/frames\.js\({function}\):\d+")));
        assert!(is_in_text("mark") && is_in_text("overLines"), "{engine}: {text}");
    }
}

/// The routes of the web server `web.js`: a package as programs install it.
const ROUTER: &str = r#"
module.exports = () => {
  const routes = new Map();
  const app = (request, response) => {
    const handler = routes.get(request.url);
    const next = () => handler(request, response);
    next();
  };
  app.get = (path, handler) => routes.set(path, handler);
  return app;
};
"#;

/// The advice about a web server names the line of its own that reads a file over and over, and not that of the package in between.
#[test]
fn advice_for_a_web_server() {
    let Some(node) = [22, 20, 18].into_iter().find_map(nodes::of_version) else {
        skip!("no Node 18, 20 or 22");
    };
    let server = WebServer {
        runtime: node,
        script: "web.js",
        reads: "readFileSync(",
        package: Package::Written("node_modules/router/index.js", ROUTER),
        advise: "--advise",
        // (It is told as a file that is opened again and again, or as one that is opened for each request: that depends on what else the server opens.)
        told: &["settings.json was opened and closed 10,000 times", "settings.json: 10,000 calls"],
    };
    server.is_found_by_its_line();
}

/// The same with Express, and with clients in a process of their own.
#[test]
fn advice_for_an_express_server() {
    const EXPRESS: &str = "express@5.1.0";
    let Some(node) = [22, 20, 18].into_iter().find_map(nodes::of_version) else {
        skip!("no Node 18, 20 or 22");
    };
    let express = packages::installed(&EXPRESS.replace('@', "-"), |place| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(place).arg(EXPRESS);
        npm
    });
    let express = match express {
        Ok(express) => express,
        Err(why) => skip!("{why}"),
    };
    let server = WebServer {
        runtime: node,
        script: "express.js",
        reads: "readFileSync(",
        package: Package::Installed("node_modules", express.join("node_modules")),
        advise: "--advise",
        told: &["settings.json was opened and closed 6,000 times", "settings.json: 6,000 calls"],
    };
    server.is_found_by_its_line();
}

macro_rules! versions {
    ($($name:ident: $major:literal)*) => { $(
        #[test]
        fn $name() {
            frames_are_those_that_v8_knows($major);
        }
    )* };
}
versions! {
    node_18: 18
    node_20: 20
    node_22: 22
    node_24: 24
}
