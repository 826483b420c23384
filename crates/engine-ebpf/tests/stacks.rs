//! Stacks under both engines: each call has the same stack, though the eBPF engine unwinds few of them.

mod common;

use common::command;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use stride_engine_base::Engine;
use stride_engine_ebpf::EbpfEngine;
use stride_engine_ptrace::PtraceEngine;
use stride_event::{Bottom, Event, Stack, StackRate, Tid, TraceSpec, Unwind};
use stride_stacks::{StackDetail, Stacks};
use stride_syscalls::table;
use stride_test_support::state::kernel_version;
use stride_test_support::{Scratch, need_ebpf, program, programs};

/// The stacks of each thread's calls, in the order of the threads and their calls.
type Told = Vec<Vec<String>>;

fn described(stack: &Stack) -> String {
    let frames = stack.frames.iter().map(|frame| {
        let name =
            |path: &[u8]| Path::new(std::str::from_utf8(path).unwrap()).file_name().map(|n| n.display().to_string());
        let module = frame.module.as_ref().and_then(|module| name(&module.path)).unwrap_or_default();
        let symbol = frame.symbol.as_ref().map_or_else(String::new, |symbol| symbol.name.to_string());
        format!("{module}+{:x}({symbol})", frame.offset)
    });
    format!("{} {:?}", frames.collect::<Vec<_>>().join(" < "), stack.bottom)
}

/// Runs an engine to its end. Calls before the command's execve are left out.
fn told(engine: &mut dyn Engine, pipe: &mut impl Write) -> Told {
    let stacks = Rc::new(RefCell::new(Stacks::new(StackDetail { frames: 256, source: false })));
    engine.unwind_with(stacks.clone());
    let mut threads: BTreeMap<Tid, usize> = BTreeMap::new();
    let mut told = Told::new();
    let mut executed = false;
    // The memory of a thread that ends is gone when an older kernel tells of its last call.
    let ends_have_stacks = kernel_version() >= (6, 16);
    while let Some(event) = engine.next().unwrap() {
        stacks.borrow_mut().note(&event);
        match event {
            Event::Exit(call) => {
                let name = table(call.abi).get(call.nr).map_or("?", |entry| entry.row.name);
                if name == "getpriority" && call.args[0] == 50 {
                    pipe.write_all(b".").unwrap();
                }
                // Which thread has to wait for the other differs from run to run.
                let compared = name != "futex" && (ends_have_stacks || !name.starts_with("exit"));
                if compared && std::mem::replace(&mut executed, true) {
                    let next = threads.len();
                    let thread = *threads.entry(call.tid).or_insert(next);
                    told.resize(threads.len(), Vec::new());
                    let stack = call.stack.as_ref().map_or_else(|| "none".to_owned(), |stack| described(stack));
                    told[thread].push(format!("{name} {stack}"));
                }
            }
            // (Ignored signals, such as SIGCHLD, have stacks under ptrace only.)
            Event::Signal { tid, info, stack, .. } if info[0] == libc::SIGUSR1 as u8 => {
                let stack = stack.map_or_else(|| "none".to_owned(), |stack| described(stack));
                told[threads[&tid]].push(format!("SIGUSR1 {stack}"));
            }
            Event::Exited { status, .. } => assert_eq!(status, 0),
            _ => {}
        }
    }
    told
}

/// Builds two libraries with the same layout.
fn twins(scratch: &Scratch) -> [PathBuf; 2] {
    let source = programs::root().join("tests/stacks/twin.c");
    ["first", "other"].map(|name| {
        let library = scratch.path(&format!("{name}.so"));
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-fPIC", "-shared", &format!("-DNAME={name}"), "-o"]).arg(&library).arg(&source);
        assert!(cc.status().expect("cc runs").success());
        library
    })
}

/// The program's spec, and the pipe that tells the program to go on.
fn run(program: &Path, scratch: &Scratch) -> (TraceSpec, File) {
    let pipe = scratch.path("seen");
    let _ = std::fs::remove_file(&pipe);
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let [first, other] = twins(scratch);
    let args = [&first, &other, &pipe].map(|path| path.to_str().unwrap());
    let spec = TraceSpec { stacks: StackRate::All, ..command(program, &args) };
    (spec, File::options().read(true).write(true).open(pipe).unwrap())
}

#[test]
fn both_engines_tell_the_same_stacks() {
    need_ebpf!();
    let program = program!("places");
    let scratch = Scratch::new("stacks");
    let (spec, mut seen) = run(program, &scratch);
    let want = told(&mut PtraceEngine::start(spec).unwrap(), &mut seen);
    let (spec, mut seen) = run(program, &scratch);
    let got = told(&mut EbpfEngine::start(spec).unwrap(), &mut seen);
    assert_eq!(got.len(), want.len());
    let mut differences = Vec::new();
    for (thread, (want, got)) in want.iter().zip(&got).enumerate() {
        for i in 0..want.len().max(got.len()) {
            let (want, got) = (want.get(i).map_or("", |s| s), got.get(i).map_or("", |s| s));
            if want != got {
                differences.push(format!("thread {thread}, call {i}\n  ptrace: {want}\n  eBPF:   {got}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
    let all = got.concat();
    // Without generations, the second library's calls would get the stacks of the first.
    for function in ["(first)", "(other)", "(one)", "(in_thread)", "(handler)"] {
        assert!(all.iter().filter(|stack| stack.contains(function)).count() >= 5, "{function}: {all:#?}");
    }
    assert!(all.iter().any(|stack| stack.matches("(recurse)").count() == 41));
    assert!(all.iter().filter(|stack| stack.starts_with("SIGUSR1 ") && stack.contains("(signalled)")).count() == 5);
}

/// An unwinder that counts the requests.
struct Counting {
    stacks: Stacks,
    asked: usize,
}

impl Unwind for Counting {
    fn unwind(
        &mut self,
        process: Tid,
        regs: &stride_event::Regs,
        history: Option<&dyn stride_event::CodeHistory>,
        memory: &mut dyn stride_event::ThreadMemory,
    ) -> stride_event::Unwound<'_> {
        self.asked += 1;
        self.stacks.unwind(process, regs, history, memory)
    }
}

#[test]
fn a_stack_is_unwound_once() {
    need_ebpf!();
    let stacks = Stacks::new(StackDetail { frames: 256, source: false });
    let counting = Rc::new(RefCell::new(Counting { stacks, asked: 0 }));
    let spec = TraceSpec {
        stacks: StackRate::All,
        ..command(Path::new("/bin/dd"), &["if=/dev/zero", "of=/dev/null", "bs=1", "count=100000", "status=none"])
    };
    let mut engine = EbpfEngine::start(spec).unwrap();
    engine.unwind_with(counting.clone());
    let (mut calls, mut without) = (0, 0);
    while let Some(event) = engine.next().unwrap() {
        counting.borrow_mut().stacks.note(&event);
        if let Event::Exit(call) = event {
            calls += 1;
            without += usize::from(call.stack.is_none());
        }
    }
    // The memory of a thread that ends is gone when an older kernel tells of its last call.
    assert_eq!(without, usize::from(kernel_version() < (6, 16)));
    let asked = counting.borrow().asked;
    assert!(calls > 200_000 && asked < calls / 10, "{asked} unwound for {calls} calls");
}

const HUNDRED: &str = "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done";

/// A shell that runs short processes: the number of calls, of calls whose stack leads to where the thread began, of
/// different stacks, and of stacks that were unwound. With `over`, Stride looks at no stack until this file exists.
fn short_processes(stacks: StackRate, script: &str, over: Option<&Path>) -> [usize; 4] {
    let spec = TraceSpec { stacks, ..command(Path::new("/bin/sh"), &["-c", script]) };
    let unwinder = Stacks::new(StackDetail { frames: 256, source: false });
    let counting = Rc::new(RefCell::new(Counting { stacks: unwinder, asked: 0 }));
    let mut engine = EbpfEngine::start(spec).unwrap();
    engine.unwind_with(counting.clone());
    let (mut calls, mut whole, mut different) = (0, 0, std::collections::BTreeSet::new());
    let mut over = over;
    while let Some(event) = engine.next().unwrap() {
        counting.borrow_mut().stacks.note(&event);
        if let Event::Exit(call) = event {
            if let Some(over) = over.take() {
                let ended = (0..1000).any(|_| {
                    std::thread::sleep(Duration::from_millis(20));
                    over.exists()
                });
                assert!(ended, "the shell has not come to its end");
                std::thread::sleep(Duration::from_millis(200));
            }
            calls += 1;
            whole += usize::from(call.stack.as_ref().is_some_and(|stack| stack.bottom == Bottom::Reached));
            different.extend(call.stack.as_ref().map(|stack| described(stack)));
        }
    }
    let asked = counting.borrow().asked;
    [calls, whole, different.len(), asked]
}

/// A process that is over in a millisecond has whole stacks, and they are those of the other processes of its program.
#[test]
fn stacks_of_short_processes() {
    need_ebpf!();
    let [calls, whole, different, _] = short_processes(StackRate::All, HUNDRED, None);
    assert!(calls > 2_000, "{calls}");
    assert!(whole * 100 > calls * 99, "{whole} of {calls}");
    assert!(different < calls / 10, "{different} of {calls}");
}

/// Programs that are over before Stride looks at the first of their stacks have whole stacks.
#[test]
fn stacks_of_programs_that_are_over() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-over");
    let over = scratch.path("over");
    let script = format!("for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; : > {}", over.display());
    let [calls, whole, ..] = short_processes(StackRate::All, &script, Some(&over));
    assert!(calls > 200 && whole == calls, "{whole} of {calls}");
}

/// The samples of one process count for the others of its program.
#[test]
fn samples_of_short_processes() {
    need_ebpf!();
    let [calls, _, _, asked] = short_processes(StackRate::Sampled, HUNDRED, None);
    assert!(asked > 100 && asked * 3 < calls, "{asked} of {calls}");
}
