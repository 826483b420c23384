//! Memory that another thread of the tracee supplies. Reading it may take for ever, because the supplier may be waiting
//! for Stride.

mod common;

use common::*;
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// The pages from which `supplied.c` writes.
const PAGES: usize = 4;

#[derive(Debug, Clone, Copy)]
enum How {
    Spawned,
    Attached,
}

/// The lines about write(2), without the parts that differ from run to run.
fn writes(engine: &str, how: How, program: &[&str]) -> Vec<String> {
    let scratch = Scratch::new(&format!("supplied-{how:?}{engine}{}", program.len()));
    std::fs::write(scratch.path("trace"), "").unwrap();
    let start = |command: &mut Command| Killed(command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut stride = Command::new(STRIDE);
    stride.arg(engine).args(["-f", "-a1", "-e", "trace=read,write,getppid", "-o"]).arg(scratch.path("trace"));
    if engine.ends_with("ebpf") {
        stride.args(["--ring-size=64K", "--on-overflow=wait"]);
    }
    let count = |what: &str| scratch.read("trace").matches(what).count();
    let (mut stride, mut attached) = match how {
        How::Spawned => (start(stride.args(program)), None),
        How::Attached => {
            let program = start(Command::new(program[0]).args(&program[1..]));
            (start(stride.args(["-p", &program.0.id().to_string()])), Some(program))
        }
    };
    let mut input = attached.as_mut().map_or(&mut stride, |program| program).0.stdin.take().unwrap();
    wait_for("the beginning", || (count("read(0") == 1).then_some(()));
    input.write_all(b"x").unwrap();
    for page in 1..=PAGES {
        // The page is missing until the input comes, so the call lasts.
        wait_for(&format!("{engine} {how:?}: write {page}"), || (count("write(") == page).then_some(()));
        input.write_all(b"x").unwrap();
    }
    let status = |child: &mut Child| wait_for("the end", || child.try_wait().unwrap()).code();
    if let Some(program) = &mut attached {
        assert_eq!(status(&mut program.0), Some(0), "{engine}");
    }
    assert_eq!(status(&mut stride.0), Some(0), "{engine} {how:?}");
    assert_eq!(count("getppid() "), PAGES * 20_000, "{engine} {how:?}");
    let trace = scratch.read("trace");
    let lines = trace.lines().filter(|l| l.contains("write")).map(|l| l.split_once(' ').unwrap().1.trim_start());
    let (fd, address) = (regex::Regex::new(r"\(\d+, ").unwrap(), regex::Regex::new("0x[0-9a-f]+").unwrap());
    lines.map(|l| address.replace(&fd.replace(l, "(FD, "), "ADDRESS").into_owned()).collect()
}

/// Holds both engines against a page that is missing until the program's own supplier brings it.
fn is_not_waited_for(arguments: &[&str], missing: &str) {
    let program = program!("supplied");
    let program = [&[program.to_str().unwrap()], arguments].concat();
    let alone = Command::new(program[0]).args(arguments).stdin(Stdio::null()).status().unwrap();
    match alone.code() {
        Some(0) => {}
        Some(77) => skip!("{missing}"),
        _ => panic!("the program itself fails: {alone}"),
    }
    let expected = ["write(FD, ADDRESS, 9 <unfinished ...>", "<... write resumed>) = 9"].repeat(PAGES);
    for engine in engines() {
        for how in [How::Spawned, How::Attached] {
            assert_eq!(writes(engine, how, &program), expected, "{engine} {how:?}");
        }
    }
}

#[test]
fn a_page_that_a_tracee_supplies_is_not_waited_for() {
    is_not_waited_for(&[], "no userfaultfd(2) for this user (vm.unprivileged_userfaultfd)");
}

#[test]
fn a_page_of_a_file_that_a_tracee_serves_is_not_waited_for() {
    is_not_waited_for(&["fuse"], "this user may not mount a file system (FUSE)");
}
