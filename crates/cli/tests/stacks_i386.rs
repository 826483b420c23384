//! Stacks of 32-bit programs (`-k`), under both engines. The programs are those of `stacks.rs`.

mod common;

use common::stacks::{functions, i386, stacks};
use common::*;
use std::process::Command;

/// Stride's trace of these calls of the program. Under eBPF, a program that is over before Stride has read what it
/// maps, or before Stride has opened these files (a busy machine), runs again.
fn trace(scratch: &Scratch, engine: &str, calls: &str) -> String {
    let program = scratch.path("program");
    let run = || scratch.stride([engine, "-k", "-e", calls, &*program.to_string_lossy()]).trace;
    let unread = ["\n > the caller is unknown", "/program() [", "[vdso]()"];
    let known = |trace: &String| unread.iter().all(|text| !trace.contains(text));
    (0..50)
        .map(|_| run())
        .find(|trace| engine.ends_with("ptrace") || known(trace))
        .expect("the stack is known in the end")
}

/// Compiles a program for i386, or skips the test.
macro_rules! compile {
    ($scratch:expr, $source:expr, $options:expr) => {
        or_skip!(i386($scratch, $source, $options))
    };
}

#[test]
fn however_it_is_compiled() {
    let scratch = Scratch::new("stacks-i386");
    compile!(&scratch, "calls.c", &["-static"]);
    let ways: [&[&str]; 6] = [
        &["-O0"],
        &["-O2", "-fomit-frame-pointer"],
        // Without tables, unwinding only has the frame pointers. They say too little of a `main` that aligns its stack.
        &[
            "-O2",
            "-fno-omit-frame-pointer",
            "-fno-asynchronous-unwind-tables",
            "-fno-unwind-tables",
            "-mpreferred-stack-boundary=2",
        ],
        &["-O2", "-static"],
        &["-O2", "-no-pie", "-g", "-gz=zlib"],
        &["-Os", "-Wl,--no-eh-frame-hdr"],
    ];
    for engine in engines() {
        for options in ways {
            compile!(&scratch, "calls.c", options);
            let trace = trace(&scratch, engine, "trace=write");
            let stacks = stacks(&trace, "write(1, \"marked");
            assert_eq!(stacks.len(), 1, "{trace}");
            assert_eq!((&*stacks[0][0].module, &*stacks[0][0].symbol), ("[vdso]", "__kernel_vsyscall"), "{trace}");
            assert_eq!(stacks[0][1].symbol, "write", "{options:?}\n{trace}");
            let own = functions(&stacks[0], "program");
            let own: Vec<_> = own.into_iter().filter(|name| !name.contains("write")).collect();
            assert_eq!(own[..6], ["three", "two", "two", "two", "one", "main"], "{options:?}\n{trace}");
            assert_eq!(stacks[0].last().map(|frame| &*frame.symbol), Some("_start"), "{options:?}\n{trace}");
        }
    }
}

#[test]
fn a_signal_handler_and_whom_it_interrupted() {
    let scratch = Scratch::new("stacks-i386-handler");
    for engine in engines() {
        // The kernel makes other frames for handlers that get a siginfo_t.
        for options in [&["-O1"][..], &["-O2", "-static"], &["-O1", "-DFLAGS=SA_SIGINFO"]] {
            compile!(&scratch, "handler.c", options);
            let trace = trace(&scratch, engine, "trace=write");
            let interrupted = stacks(&trace, "--- SIGSEGV");
            assert_eq!(interrupted[0][0].symbol, "interrupted", "{trace}");
            let stacks = stacks(&trace, "write(1, \"marked");
            let known = ["report", "handler", "interrupted", "main"];
            let own: Vec<_> =
                functions(&stacks[0], "program").into_iter().filter(|name| known.contains(name)).collect();
            assert_eq!(own, known, "{engine} {options:?}\n{trace}");
        }
    }
}

/// The same stack again and again is unwound once.
#[test]
fn stacks_are_remembered() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-i386-remembered");
    compile!(&scratch, "calls.c", &["-O2", "-DTIMES=20000"]);
    let program = scratch.path("program");
    let run = scratch.stride(["-d", "--engine=ebpf", "-k", "-e", "trace=write", &program.to_string_lossy()]);
    let all = stacks(&run.trace, "write(1, \"marked");
    assert_eq!(all.len(), 20_000);
    assert!(all.iter().all(|stack| *stack == all[0]), "{:?}", all[0]);
    assert_eq!(functions(&all[0], "program")[..6], ["three", "two", "two", "two", "one", "main"]);
    let message = run.err.lines().find(|line| line.contains("remembered")).unwrap_or_else(|| panic!("{run:?}"));
    let copied: u32 =
        message.split(" remembered, ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap();
    assert!(copied < 20_000 / 3, "{message}");
}

/// 32-bit calls of 64-bit code have the stacks of 64-bit code.
#[test]
fn calls_of_64bit_code() {
    let scratch = Scratch::new("stacks-int80");
    let source = "#include <unistd.h>\n__attribute__((noinline, noipa)) int old(void) {\n\
        int id; __asm__ volatile(\"int $0x80\" : \"=a\"(id) : \"a\"(20) : \"memory\"); return id; }\n\
        int main(void) { return old() != getpid(); }\n";
    std::fs::write(scratch.path("old.c"), source).unwrap();
    let (from, to) = (scratch.path("old.c"), scratch.path("program"));
    let built = Command::new("cc").args(["-O1", "-o"]).arg(&to).arg(&from).status();
    if !built.is_ok_and(|status| status.success()) {
        skip!("no C compiler");
    }
    if !Command::new(&to).status().is_ok_and(|status| status.success()) {
        skip!("this kernel makes no i386 calls");
    }
    for engine in engines() {
        let trace = trace(&scratch, engine, "trace=getpid");
        let stacks = stacks(&trace, "getpid()");
        assert_eq!(functions(&stacks[0], "program")[..2], ["old", "main"], "{trace}");
    }
}
