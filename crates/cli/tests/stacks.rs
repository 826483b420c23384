//! Stacks of the programs in `tests/stacks/` (`-k`), compiled in many ways. Each program writes `marked` where its
//! stack is known.

mod common;

use common::stacks::{Frame, built, compile, frame, functions, stacks};
use common::*;
use std::path::PathBuf;
use std::process::Command;

/// Stride's trace of the program, with these options.
fn trace(scratch: &Scratch, options: &[&str], args: &[&str]) -> String {
    let program = scratch.path("program");
    let program = program.to_string_lossy();
    let all = [&["--engine=ptrace", "-k"], options, &[&*program], args].concat();
    scratch.stride(all).trace
}

const DEEP: [&str; 6] = ["three", "two", "two", "two", "one", "main"];

#[test]
fn however_it_is_compiled() {
    let scratch = Scratch::new("stacks-compiled");
    compile!(&scratch, "calls.c", &[]);
    let ways: [&[&str]; 8] = [
        &["-O0"],
        &["-O2", "-fomit-frame-pointer"],
        &["-O2", "-fno-omit-frame-pointer"],
        // Without tables, unwinding only has the frame pointers.
        &["-O2", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"],
        &["-O2", "-no-pie"],
        &["-O2", "-static"],
        &["-O2", "-fcf-protection=full", "-Wl,-z,now"],
        &["-Os", "-Wl,--no-eh-frame-hdr"],
    ];
    for options in ways {
        compile!(&scratch, "calls.c", options);
        let trace = trace(&scratch, &["-e", "trace=write"], &[]);
        let stacks = stacks(&trace, "write(1, \"marked");
        assert_eq!(stacks.len(), 1, "{trace}");
        assert_eq!(stacks[0][0].symbol, "write", "{options:?}\n{trace}");
        let own: Vec<_> = functions(&stacks[0], "program").into_iter().filter(|name| !name.contains("write")).collect();
        assert_eq!(own[..6], DEEP, "{options:?}\n{trace}");
        assert_eq!(stacks[0].last().map(|frame| &*frame.symbol), Some("_start"), "{options:?}\n{trace}");
    }
}

#[test]
fn lines_of_source() {
    let scratch = Scratch::new("stacks-source");
    for options in [&["-O1", "-g"][..], &["-O1", "-gdwarf-4"], &["-O1", "-g", "-gz=zlib"]] {
        compile!(&scratch, "calls.c", options);
        let trace = trace(&scratch, &["-k", "-e", "trace=write"], &[]);
        let stacks = stacks(&trace, "write(1, \"marked");
        let places: Vec<_> =
            stacks[0].iter().filter(|f| f.module == "program").filter_map(|f| f.source.rsplit('/').next()).collect();
        let expected = ["calls.c:18", "calls.c:27", "calls.c:27", "calls.c:27", "calls.c:35", "calls.c:42"];
        let line = |place: &str| place.rsplit(':').next().and_then(|n| n.parse::<i32>().ok());
        for (place, expected) in places.iter().zip(expected) {
            // Compilers assign a call to different lines of a statement.
            let near = line(place).zip(line(expected)).is_some_and(|(a, b)| (a - b).abs() <= 2);
            assert!(near && place.starts_with("calls.c:"), "{places:?}\n{trace}");
        }
        assert!(places.len() >= 6, "{trace}");
    }
}

#[test]
fn without_names() {
    let scratch = Scratch::new("stacks-stripped");
    compile!(&scratch, "calls.c", &["-O2"]);
    let named = trace(&scratch, &["-e", "trace=write"], &[]);
    compile!(&scratch, "calls.c", &["-O2", "-s"]);
    let nameless = trace(&scratch, &["-e", "trace=write"], &[]);
    let addresses = |trace: &str| -> Vec<_> {
        stacks(trace, "write(1, \"marked")[0].iter().map(|f| (f.module.clone(), f.address)).collect()
    };
    assert_eq!(addresses(&named), addresses(&nameless));
    assert!(nameless.contains("/program() [0x"), "{nameless}");
}

#[test]
fn a_signal_handler_and_whom_it_interrupted() {
    let scratch = Scratch::new("stacks-handler");
    for options in [&["-O1"][..], &["-O2", "-fomit-frame-pointer", "-static"]] {
        compile!(&scratch, "handler.c", options);
        let trace = trace(&scratch, &["-e", "trace=write"], &[]);
        let stacks = stacks(&trace, "write(1, \"marked");
        let own = functions(&stacks[0], "program");
        let known = ["report", "handler", "interrupted", "main"];
        let own: Vec<_> = own.into_iter().filter(|name| known.contains(name)).collect();
        assert_eq!(own, known, "{trace}");
        // A signal's own line has the stack that it interrupts.
        let interrupted = common::stacks::stacks(&trace, "--- SIGSEGV");
        assert_eq!(interrupted[0][0].symbol, "interrupted", "{trace}");
    }
}

#[test]
fn children() {
    let scratch = Scratch::new("stacks-children");
    compile!(&scratch, "children.c", &["-O1"]);
    let trace = trace(&scratch, &["-f", "-e", "trace=write,vfork,execve,exit_group"], &[]);
    let written = stacks(&trace, "write(1, \"marked");
    assert_eq!(functions(&written[0], "program")[..2], ["borrowed", "main"], "{trace}");
    assert_eq!(functions(&written[1], "program")[..2], ["copied", "main"], "{trace}");
    // execve(2) has the stack of the program that calls it.
    let executed = stacks(&trace, "execve(\"/bin/true\"");
    assert_eq!(functions(&executed[0], "program")[..2], ["copied", "main"], "{trace}");
    let vfork: Vec<_> = trace.lines().skip_while(|line| !line.contains("vfork resumed>")).skip(1).collect();
    assert!(vfork.get(1).is_some_and(|line| line.contains("/program(borrowed+0x")), "{trace}");
    // As in strace, the stack of a call that does not return is shown when the process is gone.
    assert!(trace.contains("exited with 0 +++\n > "), "{trace}");
}

#[test]
fn libraries_that_come_and_go() {
    let scratch = Scratch::new("stacks-libraries");
    compile!(&scratch, "load.c", &["-O1", "-ldl"]);
    let mut args = Vec::new();
    for (name, size) in [("first", "64"), ("second", "40000"), ("third", "300")] {
        let library = scratch.path(name);
        let (name_is, size_is, string) =
            (format!("-DNAME={name}"), format!("-DSIZE={size}"), format!("-DSTRING(x)=\"{size}\""));
        let options = ["-shared", "-fPIC", "-O1", &name_is, &size_is, &string, "-DFILL=fill"];
        assert!(built(&library, "plugin.c", &options));
        args.extend([library.to_string_lossy().into_owned(), name.to_owned()]);
    }
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    // Once with all calls, and once with the calls that map libraries hidden.
    for options in [&[][..], &["-e", "trace=write"]] {
        let trace = trace(&scratch, options, &args);
        let stacks = stacks(&trace, "write(1, \"marked");
        let called: Vec<_> = stacks.iter().map(|stack| (&*stack[1].module, &*stack[1].symbol)).collect();
        assert_eq!(called, [("first", "first"), ("second", "second"), ("third", "third")], "{trace}");
        for stack in &stacks {
            assert_eq!(functions(stack, "program"), ["use", "main", "_start"], "{trace}");
        }
    }
}

#[test]
fn cpp_with_exceptions() {
    let scratch = Scratch::new("stacks-throw");
    compile!(&scratch, "throw.cpp", &["-O1"]);
    let trace = trace(&scratch, &["-e", "trace=write"], &[]);
    let stacks = stacks(&trace, "write(1, \"marked");
    let destructor = functions(&stacks[0], "program");
    assert_eq!(destructor[0], "shop::Guard::~Guard()", "{trace}");
    assert_eq!(destructor[1], "void shop::sell<int>(int)", "{trace}");
    let handler = functions(&stacks[1], "program");
    assert_eq!(handler[0], "shop::recover(double)", "{trace}");
    assert_eq!(handler[2..], ["main", "_start"], "{trace}");
}

#[test]
fn code_that_a_program_makes() {
    let scratch = Scratch::new("stacks-jit");
    compile!(&scratch, "jit.c", &["-O1", "-fno-omit-frame-pointer"]);
    let trace = trace(&scratch, &["-e", "trace=write"], &[]);
    let stack = stacks(&trace, "write(1, \"marked").remove(0);
    assert_eq!((&*stack[0].module, &*stack[0].symbol), ("[anon]", "made by hand"), "{trace}");
    assert_eq!(functions(&stack, "program"), ["run", "main", "_start"], "{trace}");
}

#[test]
fn a_program_that_is_deleted() {
    let scratch = Scratch::new("stacks-deleted");
    compile!(&scratch, "calls.c", &["-O1"]);
    if !is_root() {
        skip!("only root may open the file behind a mapping");
    }
    let program = scratch.path("program");
    let mover = format!("cp {0} {0}2; exec 3<{0}2; rm {0}2; exec /proc/self/fd/3", program.display());
    let run = scratch.stride(["--engine=ptrace", "-k", "-e", "trace=write", "/bin/sh", "-c", &mover]);
    let stack = stacks(&run.trace, "write(1, \"marked").remove(0);
    assert_eq!(functions(&stack, "program2")[..6], DEEP, "{}", run.trace);
}

#[test]
fn limits() {
    let scratch = Scratch::new("stacks-limits");
    compile!(&scratch, "calls.c", &["-O1"]);
    let trace = trace(&scratch, &["-e", "trace=write", "--stack-trace-frame-limit=3"], &[]);
    let lines: Vec<_> =
        trace.lines().skip_while(|line| !line.starts_with("write(1, \"marked")).skip(1).take(4).collect();
    assert!(lines[..3].iter().all(|line| frame(line).is_some()), "{trace}");
    assert_eq!(lines[3], " > too many stack frames", "{trace}");
    for (args, message) in [
        (&["--stack-trace-frame-limit=0", "x"][..], "invalid --stack-trace-frame-limit argument: '0'"),
        (&["-kkk", "x"], "too many -k options"),
    ] {
        let run = Run::of({
            let mut command = stride();
            command.args(args);
            command
        });
        assert!(run.code() == Some(1) && run.err.contains(message), "{args:?}: {run:?}");
    }
}

/// The shell goes on until the trace has a stack: then the machine was fast enough for Stride to read what code is
/// mapped.
#[test]
fn without_a_stop() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-ebpf");
    let script = "n=0; until grep -q '^ > .*libc' \"$0\" || [ $n -gt 200 ]; do echo marked >/dev/null; n=$((n + 1)); sleep 0.1; done";
    let trace = scratch.path("trace").to_string_lossy().into_owned();
    let run = scratch.stride(["--engine=ebpf", "-k", "-e", "trace=write,execve", "sh", "-c", script, &trace]);
    let stacks = stacks(&run.trace, "write(1, \"marked");
    let fits = |stack: &Vec<Frame>| {
        stack.iter().any(|f| f.module.starts_with("libc") && f.symbol == "write")
            && stack.iter().any(|f| !f.module.starts_with("libc"))
    };
    assert!(stacks.iter().any(fits), "{}", run.trace);
    // The first execve is Stride's own call. As in strace, its stack is the beginning of the new program.
    let begun = common::stacks::stacks(&run.trace, "execve(");
    assert!(begun[0].len() == 1 && begun[0][0].module.starts_with("ld"), "{}", run.trace);
}

/// The functions of the program that lead to its `write`, under the eBPF engine. A program that is over before Stride
/// has read what it maps, or before Stride has opened these files (a busy machine), runs again.
fn written_by(scratch: &Scratch) -> (Vec<String>, String) {
    let program = scratch.path("program").to_string_lossy().into_owned();
    for _ in 0..50 {
        let trace = scratch.stride(["--engine=ebpf", "-k", "-e", "trace=write", &program]).trace;
        let unopened = trace.contains("/program() [");
        let unread = unopened || trace.contains(" = 7\n > the caller is unknown");
        if let Some(stack) = (!unread).then(|| stacks(&trace, "write(1, ")).and_then(|stacks| stacks.into_iter().next())
        {
            return (functions(&stack, "program").into_iter().map(str::to_owned).collect(), trace);
        }
    }
    panic!("the stack was never known");
}

/// The middle of a large array was never written, so its memory does not exist. The stack goes on behind it.
#[test]
fn large_frames_without_a_stop() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-large");
    for room in ["8000", "60000"] {
        compile!(&scratch, "calls.c", &["-O1", &format!("-DROOM={room}")]);
        let (own, trace) = written_by(&scratch);
        assert_eq!(own, [&DEEP[..], &["_start"]].concat(), "{room}: {trace}");
    }
}

/// Arguments and environment lie behind the stack. They are not copied with it.
#[test]
fn the_environment_is_not_copied() {
    need_ebpf!();
    let large = "x".repeat(100_000);
    let run =
        Command::new(STRIDE).args(["--engine=ebpf", "-k", "-d", "-o/dev/null", "true"]).env("LARGE", large).output();
    let note = String::from_utf8_lossy(&run.unwrap().stderr).into_owned();
    let each = note.split_once(" bytes each)").and_then(|(before, _)| before.rsplit(' ').next()?.parse::<u32>().ok());
    assert!(each.is_some_and(|bytes| bytes > 0 && bytes < 16_000), "{note}");
}

/// A handler that has its own stack, and then the code that the signal interrupted, on the stack of the thread.
#[test]
fn a_signal_handler_without_a_stop() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-elsewhere");
    compile!(&scratch, "handler.c", &["-O1"]);
    let (own, trace) = written_by(&scratch);
    assert_eq!(own, ["report", "handler", "interrupted", "main", "_start"], "{trace}");
}

/// A signal that is ignored never stops its receiver. It has the stack of the call that the receiver was in.
#[test]
fn ignored_signals_without_a_stop() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-ignored");
    compile!(&scratch, "waits.c", &["-O1"]);
    let program = scratch.path("program").to_string_lossy().into_owned();
    let trace = scratch.stride(["--engine=ebpf", "-k", "-e", "trace=wait4", &program]).trace;
    let behind = |text: &str| -> Vec<String> {
        let rest = trace.lines().skip_while(|line| !line.contains(text)).skip(1);
        rest.take_while(|line| line.starts_with(" > ")).map(str::to_owned).collect()
    };
    let (call, signal) = (behind("wait4("), behind("--- SIGCHLD"));
    assert!(!call.is_empty() && call == signal, "{trace}");
}

fn replay(scratch: &Scratch, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stride"));
    command.current_dir(scratch.path("")).env("TZ", "UTC").arg("--replay=recording").args(options);
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    run.out
}

/// A replay shows the same stacks, even if the program is gone.
#[test]
fn recorded() {
    let scratch = Scratch::new("stacks-recorded");
    compile!(&scratch, "handler.c", &["-O1", "-g"]);
    let shown = trace(&scratch, &["-k", "--record=recording"], &[]);
    std::fs::remove_file(scratch.path("program")).unwrap();
    for (options, with_source) in [(&["-k", "-k"][..], true), (&["-k"], false), (&[], false)] {
        let again = replay(&scratch, options);
        let expected: String = shown
            .lines()
            .filter(|line| !options.is_empty() || !line.starts_with(" > "))
            .map(|line| match line.strip_prefix(" > ").and_then(|_| line.find("] ")) {
                Some(at) if !with_source => format!("{}\n", &line[..=at]),
                _ => format!("{line}\n"),
            })
            .collect();
        assert_eq!(again, expected, "{options:?}");
    }
    let json = replay(&scratch, &["-k", "--json"]);
    let call = json.lines().find(|line| line.contains("marked")).unwrap();
    let call: serde_json::Value = serde_json::from_str(call).unwrap();
    let frame = &call["stack"][1];
    assert_eq!(frame["symbol"], "report");
    assert_eq!(frame["line"], 14);
    assert!(frame["file"].as_str().unwrap().ends_with("/handler.c"));
    assert_eq!(frame["build_id"].as_str().unwrap().len(), 40);
    let signal = json.lines().find(|line| line.contains("\"type\":\"signal\"")).unwrap();
    let signal: serde_json::Value = serde_json::from_str(signal).unwrap();
    assert_eq!(signal["stack"][0]["symbol"], "interrupted");
}

/// The frames are the same as strace's, if strace can unwind: by module and address.
#[test]
fn as_strace_sees_it() {
    let strace = Command::new("strace").args(["-k", "-o/dev/null", "/bin/true"]).output();
    if !strace.is_ok_and(|output| output.status.success()) {
        skip!("no strace that knows stacks");
    }
    let scratch = Scratch::new("stacks-strace");
    let programs: [(&str, &[&str]); 4] = [
        ("calls.c", &["-O2", "-fomit-frame-pointer"]),
        ("handler.c", &["-O1"]),
        ("children.c", &["-O1"]),
        ("throw.cpp", &["-O2"]),
    ];
    for (source, options) in programs {
        compile!(&scratch, source, options);
        let of = ["-f", "-e", "trace=write,execve,sigaltstack,brk", "-e", "signal=none"];
        let program: PathBuf = scratch.path("program");
        let output =
            Command::new("strace").args(["-k", "-o"]).arg(scratch.path("strace")).args(of).arg(&program).output();
        assert!(output.is_ok());
        let ours = trace(&scratch, &of, &[]);
        let theirs = scratch.read("strace");
        let frames = |text: &str| -> Vec<_> {
            ["write(", "brk(", "execve(\"/bin", "sigaltstack("]
                .iter()
                .flat_map(|call| stacks(text, call))
                .flat_map(|stack| stack.into_iter().map(|frame| (frame.module, frame.address)))
                .collect()
        };
        let (ours, theirs) = (frames(&ours), frames(&theirs));
        assert!(ours.len() > 10, "{ours:?}");
        assert_eq!(ours.len(), theirs.len(), "{source} {options:?}");
        for (own, other) in ours.iter().zip(&theirs) {
            // With libunwind, strace shows where calls return to; Stride, and strace with libdw, show the calls.
            let same = own.0 == other.0 && (own.1 == other.1 || own.1 + 1 == other.1);
            assert!(same, "{source} {options:?}: {own:x?} {other:x?}");
        }
    }
}
