//! The methods of Java among the functions of stacks (`-k`), with every version of Java that Stride knows and this machine has.
//!
//! `tests/stacks/Frames.java` tells the frames of each of its calls as Java itself knows them.

mod common;

#[path = "common/javas.rs"]
mod javas;

use common::script_frames::*;
use common::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One of the versions that Stride knows.
fn any_version() -> Option<(u32, &'static PathBuf)> {
    [17, 11, 21, 25, 26].into_iter().find_map(|major| Some((major, javas::of_version(major)?)))
}

/// Compiles a program of `tests/stacks` into the scratch directory, for this version of Java.
fn compile_java(scratch: &Scratch, major: u32, program: &str) {
    let mut compiler = Command::new(javas::compiler_for(major).unwrap());
    compiler.arg("-nowarn").arg("-d").arg(scratch.path("classes")).arg(root().join("tests/stacks").join(program));
    let output = compiler.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Traces a program of the scratch directory.
fn run(scratch: &Scratch, java: &Path, options: &[&str], program: &[&str]) -> String {
    let java = java.to_string_lossy();
    let classes = scratch.path("classes").to_string_lossy().into_owned();
    let command = [&*java, "-cp", &classes];
    let run = scratch.stride(options.iter().chain(&command).chain(program));
    assert_eq!(run.code(), Some(0), "{java:?} {options:?}: {}", run.err);
    run.trace
}

/// A call of the program.
struct Call {
    number: usize,
    stack: Vec<Value>,
    /// The stack is known to its end.
    is_whole: bool,
}

fn calls_of(trace: &str) -> Vec<Call> {
    let call = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        let number = object["path"].as_str()?.strip_prefix("/stride-mark/")?.parse().ok()?;
        let stack = object["stack"].as_array().cloned().unwrap_or_default();
        Some(Call { number, stack, is_whole: object.get("stack_ends").is_none() })
    };
    trace.lines().filter_map(call).collect()
}

/// A frame of Java has no module. HotSpot's own routines have none, either.
fn frames_of_java(stack: &[Value]) -> Vec<Frame> {
    let is_java = |frame: &&Value| {
        let symbol = frame.get("symbol").and_then(Value::as_str);
        frame.get("module").is_none() && symbol.is_some_and(|symbol| !symbol.starts_with("[HotSpot: "))
    };
    stack.iter().filter(is_java).map(frame_of).collect()
}

const FRAMES: [&str; 5] = ["-f", "-k", "--json", "--stack-trace-frame-limit=4096", "-e"];

fn frames_are_those_that_java_knows(major: u32) {
    let Some(java) = javas::of_version(major) else {
        skip!("no Java {major}, or no compiler for it");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("java-frames-{major}{engine}"));
        compile_java(&scratch, major, "Frames.java");
        let options = [&[engine], &FRAMES[..], &["trace=stat,newfstatat,statx"]].concat();
        let trace = run(&scratch, java, &options, &["Frames", "told", "trace"]);
        let (mut told, calls) = (told(&scratch), calls_of(&trace));
        assert_eq!(calls.len(), told.len(), "{java:?} {engine}");
        if major < 15 {
            told.values_mut().flatten().for_each(without_address);
        }
        let mut whole = 0;
        for call in &calls {
            let frames = frames_of_java(&call.stack);
            match compared(&frames, call.is_whole, &told[&call.number]) {
                Compared::Equal => whole += 1,
                Compared::Lacks => {}
                Compared::Differs => {
                    panic!("{java:?} {engine} {}: {frames:#?} {:#?}", call.number, told[&call.number])
                }
            }
        }
        // Under eBPF the program runs on, and some of it is gone when Stride looks at it. Such stacks say so.
        let least = if engine == "--engine=ptrace" { calls.len() } else { calls.len() * 9 / 10 };
        assert!(whole >= least, "{java:?} {engine}: {whole} of {} stacks are whole", calls.len());
        in_their_order(&calls, &format!("{java:?} {engine}"));
    }
}

/// Before 15, Java itself shows the address of a class that it has made for a lambda (`Frames$$Lambda$12/0x000000080009ec40.close`), which is no part of the name.
fn without_address(told: &mut Frame) {
    if let Some((class, rest)) = told.0.split_once("/0x")
        && let Some((_, method)) = rest.split_once('.')
    {
        told.0 = format!("{class}.{method}");
    }
}

enum Compared {
    Equal,
    /// A frame in brackets or the end of the stack says that something is missing, and the other frames are right.
    Lacks,
    Differs,
}

/// Compares the frames behind that of the method which makes the calls.
fn compared(frames: &[Frame], is_whole: bool, told: &[Frame]) -> Compared {
    let is_unknown = |frame: &Frame| frame.0.starts_with("[java: ");
    let lacks = !is_whole || frames.iter().any(is_unknown);
    let Some(mark) = frames.iter().position(|frame| frame.0 == "Frames.mark") else {
        return if lacks { Compared::Lacks } else { Compared::Differs };
    };
    let frames = &frames[mark + 1..];
    if !lacks {
        return if frames == told { Compared::Equal } else { Compared::Differs };
    }
    // Those that are shown are among those that were told, in this order. Code whose table could not be read has no line.
    let mut rest = told.iter();
    let is_same =
        |frame: &Frame, told: &Frame| frame == told || frame.2 == 0 && (&frame.0, &frame.1) == (&told.0, &told.1);
    let is_among = frames.iter().filter(|frame| !is_unknown(frame)).all(|frame| rest.any(|told| is_same(frame, told)));
    if is_among { Compared::Lacks } else { Compared::Differs }
}

/// Frames of Java stand where HotSpot called them: behind the native method that makes the call, and in front of the launcher.
fn in_their_order(calls: &[Call], run: &str) {
    let place = |stack: &[Value], wanted: &str| {
        stack.iter().position(|frame| frame["symbol"].as_str().is_some_and(|name| name.starts_with(wanted)))
    };
    let in_order = |stack: &[Value]| {
        let native = place(stack, "Java_java_io_UnixFileSystem_")?;
        let (mark, main) = (place(stack, "Frames.mark")?, place(stack, "Frames.main")?);
        Some(native < mark && mark < main && main < place(stack, "[HotSpot: StubRoutines")?)
    };
    assert!(calls.iter().filter(|call| in_order(&call.stack) == Some(true)).count() >= 100, "{run}");
}

/// The methods of a virtual thread stand in front of those of the thread that carries it. If it has waited, the outer ones are in the heap, and a frame says so; not if it has
/// kept its carrier while it waited.
fn frames_of_virtual_threads(major: u32) {
    let (Some(java), Some((compiler, release))) = (javas::with_compiler_to(major), javas::compiler_to(major)) else {
        skip!("no Java {major}, or no compiler for all of it");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("java-virtual-{major}{engine}"));
        let mut compiler = Command::new(compiler);
        let source = root().join("tests/stacks/Virtual.java");
        let output = compiler.args(&release).arg("-d").arg(scratch.path("classes")).arg(source).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let options = [&[engine], &FRAMES[..], &["trace=stat,newfstatat,statx"]].concat();
        let trace = run(&scratch, java, &options, &["Virtual", "told", "trace"]);
        let (told, calls) = (told(&scratch), calls_of(&trace));
        assert_eq!(calls.len(), told.len(), "{java:?} {engine}");
        let mut whole = 0;
        for call in &calls {
            let ([before, told @ ..], run) = (&told[&call.number][..], format!("{java:?} {engine} {}", call.number))
            else {
                panic!("{}", call.number)
            };
            let frames = frames_of_java(&call.stack);
            let mark = frames.iter().position(|frame| frame.0 == "Virtual.mark");
            let frames = &frames[mark.map_or(0, |mark| mark + 1)..];
            // Java tells those of the virtual thread. Behind them are those of its carrier.
            let is_whole = frames.starts_with(told) && frames[told.len()..].iter().any(is_of_carrier);
            whole += usize::from(is_whole);
            if before.0 == "waited" {
                let [known @ .., last] = frames else { panic!("{run}: {frames:#?}") };
                assert!(!known.is_empty() || engine != "--engine=ptrace", "{run}: {frames:#?}");
                assert!(told.starts_with(known) && last.0.starts_with("[java: "), "{run}: {frames:#?} {told:#?}");
                assert!(
                    engine != "--engine=ptrace" || last.0 == "[java: frames of a virtual thread]",
                    "{run}: {last:?}"
                );
            } else if !is_whole {
                let lacks = !call.is_whole || frames.iter().any(|frame| frame.0.starts_with("[java: "));
                assert!(lacks && engine != "--engine=ptrace", "{run}: {frames:#?} {told:#?}");
            }
        }
        let wanted = told.values().filter(|frames| frames[0].0 != "waited").count();
        assert!(wanted > 100 && whole >= wanted * 9 / 10, "{java:?} {engine}: {whole} of {wanted} stacks are whole");
    }
}

fn is_of_carrier(frame: &Frame) -> bool {
    frame.0 == "java.lang.VirtualThread.runContinuation"
}

#[test]
fn virtual_threads_of_java_21() {
    frames_of_virtual_threads(21);
}

#[test]
fn virtual_threads_of_java_25() {
    frames_of_virtual_threads(25);
}

/// Methods of Java are callers as functions of other languages are, also in recordings.
#[test]
fn as_callers() {
    let Some((major, java)) = any_version() else {
        skip!("no Java 11, 17, 21, 25 or 26, or no compiler for it");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("java-callers{engine}"));
        compile_java(&scratch, major, "Frames.java");
        let options = [&[engine], &FRAMES[..], &["trace=stat,newfstatat,statx", "--record=rec"]].concat();
        run(&scratch, java, &options, &["Frames", "told", "trace"]);
        let row = |options: &[&str], name: &str| -> usize {
            let run = scratch.replay(&[&["--by=caller", "-U", "calls,name"], options].concat());
            let counted = run.out.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, row)| *row == name));
            counted.map_or(0, |(calls, _)| calls.parse().unwrap())
        };
        let told = told(&scratch).len();
        let marks = row(&[], "Frames.mark (Frames.java)");
        assert!(marks > told * 9 / 10 && marks <= told, "{engine}: {marks} of {told}");
        let chosen = row(&[r"--called-from=^Frames\.overLines$"], "Frames.mark (Frames.java)");
        assert!((5..20).contains(&chosen), "{engine}: {chosen}");
        let text = scratch.replay(&["-k", r"--called-from=^Frames\.overLines$"]).out;
        let is_in_text =
            |method: &str| text.lines().any(|line| is(line, &format!(r" > Frames\.java\(Frames\.{method}\):\d+")));
        assert!(is_in_text("mark") && is_in_text("overLines"), "{engine}: {text}");
    }
}

/// The advice about a web server names the line of its own that reads a file over and over, and not the methods of Java in between.
#[test]
fn advice_for_a_web_server() {
    let Some((major, java)) = any_version() else {
        skip!("no Java 11, 17, 21, 25 or 26, or no compiler for it");
    };
    let source = std::fs::read_to_string(root().join("tests/stacks/Web.java")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("Files.readString(")).unwrap();
    for &engine in engines() {
        let scratch = Scratch::new(&format!("java-web{engine}"));
        compile_java(&scratch, major, "Web.java");
        std::fs::write(scratch.path("settings.json"), r#"{"greeting": "hello"}"#).unwrap();
        let directory = scratch.path("").to_string_lossy().into_owned();
        // (A thread of HotSpot would open files of its cgroup in between, and get descriptors that the server is just closing.)
        let program = ["-XX:-UseContainerSupport", "Web", &directory];
        let trace = run(&scratch, java, &[engine, "-f", "--advise=all"], &program);
        let text = trace.split_whitespace().collect::<Vec<_>>().join(" ");
        // (It is told as a file that is opened again and again, or as one that is opened for each request: that depends on what else the server opens.)
        let is_told = ["settings.json was opened and closed 10,000 times", "settings.json: 10,000 calls"];
        assert!(is_told.iter().any(|told| text.contains(told)), "{engine}: {trace}");
        assert!(text.contains(&format!("Web.settings (Web.java:{line})")), "{engine}: {trace}");
    }
}

macro_rules! versions {
    ($($name:ident: $major:literal)*) => { $(
        #[test]
        fn $name() {
            frames_are_those_that_java_knows($major);
        }
    )* };
}
versions! {
    java_11: 11
    java_17: 17
    java_21: 21
    java_25: 25
    java_26: 26
}
