//! `--perfetto`: the trace contains what the text shows, live and replayed.

mod common;
#[path = "../../output/tests/perfetto/reader.rs"]
#[allow(dead_code)]
mod reader;
#[path = "../../output/tests/perfetto/schema.rs"]
mod schema;

use common::*;
use reader::{Arg, Read};
use regex::Regex;
use std::collections::BTreeMap;
use std::process::Command;

fn trace(scratch: &Scratch) -> Read {
    reader::read(&std::fs::read(scratch.path("pf")).unwrap())
}

/// The calls of each thread, in their order.
type Calls = BTreeMap<i64, Vec<String>>;

fn of_text(text: &str) -> Calls {
    let call = Regex::new(r"^(\d+) +(\w+)\(").unwrap();
    let mut calls = Calls::new();
    for line in text.lines().filter_map(|line| call.captures(line)) {
        calls.entry(line[1].parse().unwrap()).or_default().push(line[2].into());
    }
    calls
}

fn of_trace(read: &Read) -> Calls {
    let mut calls = Calls::new();
    for slice in read.calls() {
        let name = slice.name.split(' ').next().unwrap();
        calls.entry(read.threads[&slice.track].tid.unwrap()).or_default().push(name.into());
    }
    calls
}

const SCRIPT: &str =
    "cat a | tr a b > c; (exit 3); kill -USR1 $$; cat nothing; sleep 0.2 & wait; ls -l /proc/self/fd; rm c";

#[test]
fn what_the_text_shows() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("shows{engine}"));
        std::fs::write(scratch.path("a"), "a").unwrap();
        // The engine given last counts.
        let script = ["sh", "-c", &format!("trap : USR1; {SCRIPT}")].map(str::to_owned);
        let mut args = vec!["-f".to_owned(), "--perfetto=pf".to_owned(), engine.to_string()];
        args.extend(script);
        let run = scratch.stride(&args);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let read = trace(&scratch);
        assert_eq!(of_trace(&read), of_text(&run.trace), "{engine}");

        let message = |what: &str| read.instants().iter().filter(|s| s.name == what).count();
        let exits = run.trace.lines().filter(|l| l.ends_with("+++ exited with 0 +++")).count();
        assert_eq!(message("exited with 0"), exits);
        assert_eq!((message("SIGUSR1"), message("exited with 3"), message("exited with 1")), (1, 1, 1));
        let failed = read
            .calls()
            .into_iter()
            .find(|s| s.args.get("path").is_some_and(|p| matches!(p, Arg::Text(path) if path.ends_with("/nothing"))));
        let failed = failed.expect("cat looks for it");
        assert_eq!((&failed.name[..], failed.categories.join(",")), ("openat ENOENT", "file,error".into()));

        // Each thread that a call made has a flow from that call.
        let made = run.trace.lines().filter(|l| l.contains("fork(") || l.contains("clone(")).count();
        assert!(made >= 7);
        assert_eq!(read.flows().len(), made);
        for (from, to) in read.flows() {
            let child = read.threads[&to.track].tid.unwrap();
            assert_eq!(from.args["ret"], Arg::Int(child), "{from:?} {to:?}");
        }
        let mut names: Vec<_> = read.processes.values().map(|p| p.process_name().to_owned()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names, ["cat", "ls", "rm", "sh", "sleep", "tr"]);
        let sleep = read.processes.values().find(|p| p.process_name() == "sleep").unwrap();
        assert_eq!(sleep.cmdline, ["sleep", "0.2"]);
        let slept = read.calls().into_iter().find(|s| s.name == "clock_nanosleep").expect("sleep sleeps");
        assert!(slept.end.unwrap() - slept.begin >= 200_000_000);
    }
}

#[test]
fn replayed_as_live() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("replayed{engine}"));
        std::fs::write(scratch.path("a"), "a").unwrap();
        let mut command = stride();
        command.args([engine, "-f", "--record=rec", "--perfetto=pf", "sh", "-c", SCRIPT]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert!(!run.err.contains("openat("), "calls are not shown: {}", run.err);
        let live = trace(&scratch);
        let again = scratch.replay(&["-q", "--perfetto=pf"]);
        assert_eq!((again.out.as_str(), again.err.as_str()), ("", ""));
        let later = trace(&scratch);
        let all = |read: &Read| -> Vec<String> { read.slices.iter().map(|s| format!("{s:?}")).collect() };
        let command =
            |lines: &[String]| lines.iter().filter(|l| !l.contains("tracing began")).cloned().collect::<Vec<_>>();
        // Track numbers come from the wall clock's time, which is the same in both.
        for (live, later) in command(&all(&live)).iter().zip(command(&all(&later))) {
            assert_eq!(*live, later);
        }
        assert_eq!(live.slices.len(), later.slices.len());
        assert_eq!(live.counters, later.counters);
        assert!(live.wall_offset.is_some_and(|offset| offset > 0));
        // Text is written as well if -o names a file for it.
        let both = scratch.replay(&["--perfetto=pf", "-o", "text"]);
        assert_eq!(both.out, "");
        assert_eq!(of_text(&scratch.read("text")), of_trace(&trace(&scratch)));
    }
}

#[test]
fn filters_hold() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("filters{engine}"));
        scratch.stride([engine, "-e", "trace=openat", "-Z", "-f", "--perfetto=pf", "sh", "-c", "cat nothing; true"]);
        let read = trace(&scratch);
        assert!(!read.calls().is_empty());
        assert!(read.calls().iter().all(|s| s.name.starts_with("openat E")), "{:?}", read.calls());
    }
}

#[test]
fn hostile_names() {
    let scratch = Scratch::new("hostile");
    let script = r#"cp /bin/cat "$(printf 'a"\n\033\377<script>')"; ./a* /dev/null"#;
    let run = scratch.stride(["-f", "--perfetto=pf", "sh", "-c", script]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let read = trace(&scratch);
    let names: Vec<_> = read.processes.values().map(|p| p.process_name()).collect();
    assert!(names.contains(&r#"a"\n\u{1b}\xff<script>"#), "{names:?}");
}

#[test]
fn a_full_disk() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("pf-full{engine}"));
        // A limit on the size of files takes the place of a full disk.
        let limited = format!(
            "trap '' XFSZ; ulimit -f 256; exec {STRIDE} {engine} --perfetto=pf dd if=/dev/urandom of=/dev/null bs=32 count=15000"
        );
        let mut command = Command::new("/bin/bash");
        command.args(["-c", &limited]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        assert!(run.err.contains("15000+0 records out"), "{}", run.err);
        let message: Vec<&str> = run.err.lines().filter(|l| l.contains("Can't write the trace 'pf'")).collect();
        assert!(message.len() == 1 && message[0].contains("File too large. It ends after "), "{}", run.err);
        let calls = trace(&scratch).calls().len();
        assert!(calls > 1000);
        let message: String = message[0].chars().filter(|c| *c != ',').collect();
        assert!(message.contains(&format!("It ends after {calls} calls")), "{message}");

        let mut command = stride();
        command.args([engine, "--perfetto=/dev/full", "sh", "-c", "exit 5"]);
        let run = Run::of(command);
        assert_eq!(run.code(), Some(5));
        let message = "Can't write the trace '/dev/full': No space left on device. It ends after 0 calls (0 bytes)";
        assert!(run.err.contains(message), "{}", run.err);
    }
}

#[test]
fn files_that_cannot_be() {
    let scratch = Scratch::new("pf-cannot");
    let refused = |args: &[&str]| refused(&scratch, args);
    let nowhere = "Can't open 'nowhere/pf' for --perfetto: No such file or directory";
    assert_eq!(refused(&["--perfetto=nowhere/pf"]), nowhere);
    let both = "--perfetto and -o/--output name the same file, 'x': give one of them another name";
    assert_eq!(refused(&["--perfetto=x", "-o", "x"]), both);
    let both = "--record and --perfetto name the same file, 'x': give one of them another name";
    assert_eq!(refused(&["--perfetto=x", "--record=x"]), both);
    std::fs::write(scratch.path("y"), "kept").unwrap();
    assert!(refused(&["--perfetto=y", "--record=y"]).contains("the same file"));
    assert_eq!(scratch.read("y"), "kept");
    scratch.stride(["--record=rec", "sh", "-c", "exit 0"]);
    let before = std::fs::read(scratch.path("rec")).unwrap();
    let run = scratch.replay(&["--perfetto=rec"]);
    assert!(run.code() == Some(1) && run.err.contains("--replay and --perfetto name the same file"), "{}", run.err);
    assert!(std::fs::read(scratch.path("rec")).unwrap() == before);
}

/// With --waits, calls say for how long they slept, and flows lead to them from the calls that woke them.
#[test]
fn waits_and_their_wakers() {
    need_ebpf!();
    let scratch = Scratch::new("pf-waits");
    let program = program!("waits").to_str().unwrap().to_string();
    for (way, waiting, waking) in
        [("pipe", "read", "write"), ("lock", "futex", "futex"), ("child", "wait4", "exit_group")]
    {
        let _ = std::fs::remove_file(scratch.path("rec"));
        let options = ["--engine=ebpf", "--waits", "-f", "--record=rec", "--perfetto=pf"];
        scratch.stride(options.iter().copied().chain([&*program, way]));
        let live = trace(&scratch);
        scratch.replay(&["--perfetto=pf"]);
        for read in [live, trace(&scratch)] {
            let mut right = 0;
            for (from, to) in read.flows().into_iter().filter(|(from, _)| from.name == "wakes") {
                let (waker, woken) = (read.around(from).expect("a call"), read.around(to).expect("a call"));
                let by =
                    format!("[{}] {}", read.threads[&from.track].tid.unwrap(), waker.name.split(' ').next().unwrap());
                let Arg::Text(told) = &woken.args["waker"] else { panic!("{woken:?}") };
                assert!(told.ends_with(&by), "{by}: {woken:?}");
                right += usize::from(woken.name == waiting && waker.name == waking);
            }
            // (All of the ten waits, unless the machine is busy.)
            assert!(right >= 7, "{way}: {right}");
            let slept = |call: &&reader::Slice| call.name == waiting && call.args.contains_key("blocked_ns");
            let slept: Vec<_> = read.calls().into_iter().filter(slept).collect();
            assert!(slept.len() >= 7, "{way}");
            // A track has each of these waits.
            for call in slept {
                let Arg::Uint(time) = call.args["blocked_ns"] else { panic!("{call:?}") };
                let waits = read.waits_of(read.threads[&call.track].tid.unwrap());
                let is_there = waits.iter().any(|wait| {
                    let end = wait.end.expect("a wait ends");
                    wait.name == "blocked" && wait.begin == call.begin && end - wait.begin == time
                });
                assert!(is_there || time < 1000, "{way}: {call:?} {waits:?}");
            }
        }
    }
    scratch.stride(["-f", "--perfetto=pf", &*program, "pipe"]);
    let plain = trace(&scratch);
    assert!(plain.calls().iter().all(|call| !call.args.contains_key("blocked_ns")));
    assert!(plain.flows().iter().all(|(from, _)| from.name != "wakes"));
}

/// With -k, each call has its stack, live and replayed.
#[test]
fn stacks_of_calls() {
    let scratch = Scratch::new("pf-stacks");
    let mut compiler = Command::new("cc");
    compiler.args(["-w", "-O1", "-g", "-o"]).arg(scratch.path("program")).arg(root().join("tests/stacks/callers.c"));
    if !compiler.output().is_ok_and(|output| output.status.success()) {
        skip!("no C compiler");
    }
    scratch.stride(["-kk", "--record=rec", "--perfetto=pf", "-e", "trace=access,write", "./program"]);
    let live = trace(&scratch);
    std::fs::remove_file(scratch.path("pf")).unwrap();
    scratch.replay(&["--perfetto=pf"]);
    let again = trace(&scratch);
    let calls = |read: &Read| -> Vec<_> {
        read.calls().iter().map(|call| (call.args.get("caller").cloned(), call.stack.clone())).collect()
    };
    assert_eq!(calls(&live), calls(&again));
    let called =
        |name: &str| calls(&live).into_iter().filter(|(caller, _)| *caller == Some(name.into())).collect::<Vec<_>>();
    assert_eq!((called("check (program)").len(), called("save (program)").len()), (5, 2));
    let (_, stack) = called("check (program)").remove(0);
    let names: Vec<&str> = stack.iter().rev().map(|frame| frame.split(' ').next().unwrap()).collect();
    assert_eq!(names[..5], ["access", "check", "probe", "work", "main"]);
    assert!(stack.iter().any(|frame| is(frame, r"probe .*/program.*\+0x[0-9a-f]+ .*callers\.c:\d+")), "{stack:?}");
    scratch.stride(["--perfetto=pf", "./program"]);
    assert!(trace(&scratch).calls().iter().all(|call| call.stack.is_empty() && !call.args.contains_key("caller")));
}
