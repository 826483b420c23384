//! Calls chosen by their outcome: `--duration`, `--errno`, `--where`, `--switch-on`, `--switch-off`.

mod common;

use common::*;
use std::collections::BTreeSet;

/// The names of the calls in a trace, in their order.
fn names(trace: &str) -> Vec<&str> {
    let calls = trace.lines().filter(|line| !line.contains("+++") && !line.contains("---"));
    calls.filter_map(|line| line.split('(').next()?.split(' ').next_back()).collect()
}

const SCRIPT: &str = "cat there missing; : < there; exec cat there";

/// Runs the script live and replayed. The results are the same.
fn traces(name: &str, engine: &str, options: &[&str]) -> String {
    let scratch = Scratch::new(&format!("{name}{engine}"));
    std::fs::write(scratch.path("there"), "content\n").unwrap();
    let live = scratch.stride([&[engine, "-f"], options, &["sh", "-c", SCRIPT]].concat());
    assert_eq!(live.code(), Some(0), "{live:?}");
    live.trace
}

#[test]
fn errors_choose_calls() {
    for &engine in engines() {
        let missing = traces("errno", engine, &["-e", "trace=/^(open|access|execve)", "--errno=ENOENT"]);
        assert!(missing.contains("\"missing\"") && !missing.contains("\"there\", O_"), "{engine}: {missing}");
        assert!(missing.lines().all(|line| line.contains("ENOENT") || line.contains("+++") || line.contains("---")));
        let by_number = traces("errno-2", engine, &["-e", "trace=/^(open|access|execve)", "-e", "errno=2"]);
        assert_eq!(names(&by_number), names(&missing), "{engine}");
        let others = traces("errno-not", engine, &["--errno=!ENOENT"]);
        assert!(!others.contains("ENOENT") && !others.contains(" = 0"), "{engine}: {others}");
        let counted = traces("errno-c", engine, &["-c", "-U", "calls,errors,name", "--errno=ENOENT"]);
        let total = counted.lines().last().unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(total[0], total[1], "{engine}: all calls are errors\n{counted}");
    }
}

#[test]
fn durations_choose_calls() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("duration{engine}"));
        let slow = |options: &[&str]| {
            let run = scratch.stride([&[engine][..], options, &["sleep", "0.2"]].concat());
            names(&run.trace).join(" ")
        };
        assert_eq!(slow(&["--duration=150ms"]), "clock_nanosleep", "{engine}");
        assert_eq!(slow(&["--duration=>150ms", "--duration=<100s"]), "clock_nanosleep", "{engine}");
        assert_eq!(slow(&["--duration=>=100s"]), "", "{engine}");
        assert_eq!(slow(&["-e", "duration=150ms", "-z"]), "clock_nanosleep", "{engine}");
        let quick = slow(&["--duration=<150ms"]);
        assert!(quick.contains("mmap") && !quick.contains("clock_nanosleep"), "{engine}: {quick}");
        let table = scratch.stride([engine, "-c", "-U", "calls,name", "--duration=150ms", "sleep", "0.2"]).trace;
        assert!(table.contains("clock_nanosleep") && !table.contains("mmap"), "{engine}: {table}");
        let json = scratch.stride([engine, "--json", "--duration=150ms", "sleep", "0.2"]).trace;
        assert_eq!(json.lines().filter(|line| line.contains("\"type\":\"call\"")).count(), 1, "{engine}: {json}");
    }
}

/// Long calls are found among very many short ones, whether they wait or keep their CPU.
#[test]
fn no_long_call_is_missed() {
    let program = or_skip!(compile("slow"));
    for &engine in engines() {
        let run = Scratch::new(&format!("slow{engine}")).stride([engine, "--duration=10ms", program.to_str().unwrap()]);
        let seen = names(&run.trace);
        let count = |name: &str| seen.iter().filter(|seen| **seen == name).count();
        assert_eq!(count("clock_nanosleep"), 20, "{engine}: {run:?}");
        let copied: usize = run.out.trim().parse().unwrap();
        assert!(count("read") >= copied, "{engine}: {copied} of {run:?}");
        assert!(seen.len() < 1_000, "{engine}: of 100,000 short calls, few are ever as long: {}", seen.len());
    }
}

#[test]
fn expressions_choose_calls() {
    for &engine in engines() {
        for (nr, (source, contains, lacks)) in [
            (r#"name == "openat" && ret >= 0"#, "\"there\"", "missing"),
            (r#"errno == "ENOENT" && path.endsWith("/missing")"#, "\"missing\"", "\"there\""),
            (r#"comm == "cat" && bytes == 8"#, "= 8", "execve"),
            (r#"exe.endsWith("/cat") && name == "openat""#, "\"there\"", "execve"),
            (r#"path.endsWith("/there") && name == "close""#, "close(", "openat"),
            (r#""O_RDONLY" in args.flags && !("O_CLOEXEC" in args.flags)"#, "O_RDONLY", "O_CLOEXEC"),
            (r#"args.pathname == "missing""#, "\"missing\"", "\"there\""),
            (r#"name.startsWith("exec") || errno == "ECHILD""#, "execve", "openat"),
            (r#"wait == "child" && ret > 0"#, "wait4", "execve"),
            (r#"fd.kind == "file" && name == "close""#, "close(", "openat"),
        ]
        .into_iter()
        .enumerate()
        {
            let trace = traces(&format!("where-{nr}"), engine, &[&format!("--where={source}")]);
            let calls: String = trace.lines().filter(|line| !line.contains("+++") && !line.contains("---")).collect();
            assert!(calls.contains(contains) && !calls.contains(lacks), "{engine} {source}: {trace}");
        }
        let none = traces("where-none", engine, &["--where=pid < 0"]);
        assert_eq!(names(&none), Vec::<&str>::new(), "{engine}");
        let me = nix::unistd::geteuid();
        let all = traces("where-uid", engine, &[&format!("--where=uid == {me}"), "-e", "trace=execve"]);
        assert!(names(&all).len() >= 3, "{engine}: {all}");
        let both = traces("where-two", engine, &["--where=ret >= 0", r#"--where=name in ["openat", "close"]"#]);
        let seen: BTreeSet<&str> = names(&both).into_iter().collect();
        assert_eq!(seen, BTreeSet::from(["close", "openat"]), "{engine}");
    }
}

#[test]
fn a_replay_chooses_the_same_calls() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("outcome-replay{engine}"));
        std::fs::write(scratch.path("there"), "content\n").unwrap();
        for source in [
            r#"errno == "ENOENT" && comm == "cat""#,
            r#"path.endsWith("/there")"#,
            r#"bytes > 0 && fd.kind == "file""#,
            r#"duration >= duration("0") && name == "close""#,
            r#"args.flags.exists(flag, flag == "O_CLOEXEC")"#,
        ] {
            let chosen = format!("--where={source}");
            let live = scratch.stride([engine, "--record=all", "-f", &chosen, "sh", "-c", SCRIPT]);
            let again = scratch.stride([engine, "--record=rec", "-f", "sh", "-c", SCRIPT]);
            assert!(again.code() == Some(0) && live.code() == Some(0));
            let replay = |file: &str, options: &[&str]| {
                let file = format!("--replay={}", scratch.path(file).display());
                Run::of({
                    let mut command = bare_stride();
                    command.arg(file).args(options);
                    command
                })
            };
            let live = replay("all", &[]).out;
            let again = replay("rec", &[&chosen]).out;
            assert!(!names(&live).is_empty(), "{engine} {source}: {live}");
            assert_eq!(names(&again), names(&live), "{engine} {source}");
        }
    }
}

#[test]
fn calls_switch_the_trace_on_and_off() {
    let on = r#"--switch-on=name == "openat" && path.endsWith("/there")"#;
    let off = r#"--switch-off=name == "close" && fd.kind == "file""#;
    for &engine in engines() {
        let scratch = Scratch::new(&format!("switch{engine}"));
        std::fs::write(scratch.path("there"), "content\n").unwrap();
        let run = |options: &[&str]| scratch.stride([&[engine][..], options, &["cat", "there"]].concat()).trace;
        let between = run(&[on, off]);
        assert!(
            !names(&between).is_empty() && !between.contains("openat") && !between.contains("close("),
            "{engine}: {between}"
        );
        let with = run(&["--show-on-off-events", on, off]);
        let calls = names(&with);
        assert_eq!((calls.first(), calls.last()), (Some(&"openat"), Some(&"close")), "{engine}: {with}");
        assert_eq!(calls[1..calls.len() - 1], names(&between), "{engine}");
        // The calls that switch need not be among the others.
        let reads = run(&[on, off, "-e", "trace=fadvise64"]);
        assert_eq!(names(&reads), ["fadvise64"], "{engine}: {reads}");
        let until = run(&[r#"--switch-off=name == "openat""#]);
        assert!(
            names(&until).contains(&"execve") && !until.contains("openat") && !until.contains("close("),
            "{engine}"
        );
    }
}

#[test]
fn the_kernel_decides_what_it_can() {
    let scratch = Scratch::new("where-early");
    for &engine in engines() {
        let source = r#"--where=name == "openat" && ret >= 0 && duration < duration("1s") && pid > 0 && path != """#;
        let run = scratch.stride([engine, "-d", source, "cat", "/dev/null"]);
        let output = if engine.ends_with("ebpf") {
            "--where: decided in the kernel: name, ret, duration, pid; by the reader: path"
        } else {
            "--where: decided in the kernel: name; by the reader: ret, duration, pid, path"
        };
        assert!(run.err.contains(output), "{engine}: {run:?}");
    }
}

/// A thread's name is that of the return, so the execve that makes a shell's child `cat` counts.
#[test]
fn threads_are_chosen_by_name() {
    let scratch = Scratch::new("where-comm");
    for &engine in engines() {
        let script = ["sh", "-c", "cat /dev/null; ls -d /; exit 0"];
        let of = |options: &[&str]| {
            scratch.stride([&[engine, "-f", r#"--where=comm == "cat""#][..], options, &script].concat()).trace
        };
        let lines = of(&["-qqq", "-e", "signal=none"]);
        assert!(lines.contains("\"/dev/null\"") && !lines.contains("\"ls\""), "{engine}: {lines}");
        let returned = lines.lines().filter(|line| line.contains(" = ") && !line.ends_with("= ?")).count();
        let counted = of(&["-c", "-U", "calls,name"]);
        let total = counted.lines().last().and_then(|line| line.split_whitespace().next().map(str::to_owned));
        assert_eq!(total, Some(returned.to_string()), "{engine}: {counted}{lines}");
    }
}

#[test]
fn a_comparison_tells_of_other_filters() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("outcome-diff{engine}"));
        let output = |options: &[&str]| {
            scratch.stride([&[engine, "--record=rec"][..], options, &["true"]].concat());
            scratch.stride([engine, "--diff=rec", "--errno=ENOENT", "true"]).trace
        };
        let differ = "calls that one run left out seem to be missing";
        let other = output(&["--errno=EACCES"]);
        assert!(other.contains(differ), "{engine}: {other}");
        // This run's filters apply to the base, too.
        let all = output(&[]);
        assert!(!all.contains(differ) && !output(&["--errno=ENOENT"]).contains(differ), "{engine}: {all}");
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let scratch = Scratch::new("where-mistakes");
    let output = refused_lines(&scratch, &["--where=name == \"read\" && pth == \"x\""]);
    assert_eq!(
        output,
        [
            "--where: unknown field 'pth'; did you mean 'path'?",
            "  name == \"read\" && pth == \"x\"",
            "                    ^"
        ]
    );
    let output = refused_lines(&scratch, &["--switch-on=pid"]);
    assert_eq!(output[0], "--switch-on: the expression is of type int, and must say yes or no (bool)");
    for (option, message) in [
        (
            "--duration=10",
            "invalid duration '10'; it is a number with a unit (s, ms, us or ns), such as 10ms, and may follow > or <",
        ),
        ("--errno=ENOETN", "invalid error 'ENOETN'; did you mean 'ENOENT'?"),
    ] {
        assert_eq!(refused_lines(&scratch, &[option])[0], message);
    }
    let output = refused_lines(&scratch, &["-z", "--errno=ENOENT"]);
    assert_eq!(output[0], "--errno reports calls that failed, and -z/--status leaves them out: leave one of them out");
    // A value of another type than expected is told at the end.
    let run = scratch.stride(["--engine=ptrace", "--where=args.flags > 5", "-e", "trace=openat", "cat", "/dev/null"]);
    assert!(
        run.err.contains("left out for which the expression has no value; the first time, a value was of another type"),
        "{run:?}"
    );
}

#[test]
fn tracing_ends_after_a_time_and_the_program_runs_on() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("for{engine}"));
        // The program makes no call by the time that tracing ends, and ends later by itself.
        let run = scratch.stride([engine, "--for=200ms", "sh", "-c", "sleep 2; : > done"]);
        assert_eq!(run.code(), Some(0), "{engine}: {run:?}");
        assert!(run.err.contains("The time of --for is over, tracees were detached"), "{engine}: {run:?}");
        assert!(run.trace.contains("<detached ...>"), "{engine}: {run:?}");
        wait_until("the program has ended by itself", || scratch.path("done").exists());
        let run = scratch.stride([engine, "--for=1h", "true"]);
        assert!(run.code() == Some(0) && run.err.is_empty(), "{engine}: {run:?}");
    }
}

/// The lines of the message about options that Stride refuses. Only the first has Stride's name.
fn refused_lines(scratch: &Scratch, options: &[&str]) -> Vec<String> {
    let mut command = stride();
    command.args(options).args(["sh", "-c", "echo ran"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    let prefix = format!("{STRIDE}: ");
    run.err.lines().map(|line| line.strip_prefix(&prefix).unwrap_or(line).to_owned()).collect()
}
