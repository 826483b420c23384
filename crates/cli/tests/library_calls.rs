//! `--library-calls` and `--usdt`: functions among system calls, as programs make them.

mod common;

use common::{Killed, Run, Scratch, bare_stride, need_ebpf, root, send, skip, wait_until};
use nix::sys::signal::Signal;
use std::process::{Command, Stdio};

/// A directory with `library.so`, with debug information, `bare.so`, without, and the program `user`.
fn built(name: &str) -> Option<Scratch> {
    let scratch = Scratch::new(name);
    let programs = root().join("tests/programs");
    let compile = |words: &[&str], source: &str, to: &str| {
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-w", "-pthread"]).args(words).arg("-o").arg(scratch.path(to)).arg(programs.join(source));
        match cc.arg("-ldl").output() {
            Err(_) => false,
            Ok(output) if output.status.success() => true,
            Ok(output) => panic!("cc {source}: {}", String::from_utf8_lossy(&output.stderr)),
        }
    };
    let all = compile(&["-g", "-shared", "-fPIC"], "library.c", "library.so")
        && compile(&["-s", "-shared", "-fPIC"], "library.c", "bare.so")
        && compile(&["-g"], "library-user.c", "user");
    all.then_some(scratch)
}

fn traced(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command
        .args(["-a1", "-o"])
        .arg(scratch.path("trace"))
        .args(args)
        .env("TEXT", "some text")
        .current_dir(scratch.path(""));
    let mut run = Run::of(command);
    run.trace = std::fs::read_to_string(scratch.path("trace")).unwrap_or_default();
    run
}

/// The scene of the user under Stride.
fn scene(scratch: &Scratch, options: &[&str], name: &str) -> Run {
    let run = traced(scratch, &[options, &["./user", name]].concat());
    assert_eq!(run.code(), Some(0), "{run:?}");
    run
}

const FUNCTIONS: &str = "--library-calls=./library.so:*";

/// The functions of the library itself, and nothing that the compiler added.
fn lines(trace: &str) -> Vec<&str> {
    trace.lines().filter(|line| !line.starts_with("+++")).collect()
}

#[test]
fn arguments_and_results_are_those_that_the_program_prints() {
    need_ebpf!();
    let Some(scratch) = built("library-calls") else { skip!("no C compiler") };
    let run = scene(&scratch, &["-e", "trace=none", FUNCTIONS], "calls");
    assert_eq!(lines(&run.trace), run.out.lines().collect::<Vec<_>>(), "{run:?}");
}

#[test]
fn functions_and_system_calls_are_in_order() {
    need_ebpf!();
    let Some(scratch) = built("library-order") else { skip!("no C compiler") };
    let run = scene(&scratch, &["-e", "trace=write", FUNCTIONS, "--library-calls=user:b*"], "between");
    assert_eq!(
        lines(&run.trace),
        [
            "user:between( <unfinished ...>",
            "  library:add(1, 2) = 3",
            "write(1, \"between\\n\", 8) = 8",
            "  library:add(3, 4) = 7",
            "<... user:between resumed>) = void",
        ]
    );
    // The system call by which the kernel watches a return is not the program's own.
    let all = scene(&scratch, &[FUNCTIONS], "between");
    let plain = scene(&scratch, &[], "between");
    let system_calls = |trace: &str| trace.lines().filter(|line| !line.contains("library:")).count();
    assert_eq!(system_calls(&all.trace), system_calls(&plain.trace), "{}\n{}", all.trace, plain.trace);
}

/// Functions that are left by longjmp, pthread_exit and exit do not return, and nothing else changes.
#[test]
fn functions_that_do_not_return() {
    need_ebpf!();
    let Some(scratch) = built("library-leave") else { skip!("no C compiler") };
    let run = scene(&scratch, &["-f", "-e", "trace=none", FUNCTIONS, "--library-calls=user:deep,user:leave*"], "leave");
    assert_eq!(run.out, "left\n");
    // Ids of threads take five columns or more.
    let without_id = |line: &'static str| &line[line.find(' ').unwrap_or(0).max(5) + 1..];
    let trace: &'static str = run.trace.clone().leak();
    let all = trace.lines().filter(|line| !line.contains("+++") && !line.contains("---")).map(without_id);
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            "user:leave( <unfinished ...>",
            "  user:deep(2 <unfinished ...>",
            "    user:deep(1 <unfinished ...>",
            "      user:deep(0) = ?",
            "    <... user:deep resumed>) = ?",
            "  <... user:deep resumed>) = ?",
            "  library:add(1, 1) = 2",
            "user:leaves(0x5) = ?",
            "  library:add(2, 2) = 4",
            "<... user:leave resumed>) = void",
        ]
    );
}

#[test]
fn without_debug_information_words_are_shown() {
    need_ebpf!();
    let Some(scratch) = built("library-bare") else { skip!("no C compiler") };
    std::fs::rename(scratch.path("bare.so"), scratch.path("library.so")).unwrap();
    let run = scene(&scratch, &["-e", "trace=none", "--library-calls=./library.so:add"], "between");
    let trace = lines(&run.trace);
    assert!(trace[0].starts_with("library:add(0x1, 0x2, ") && trace[0].ends_with(" = 0x3"), "{trace:?}");
    assert_eq!(trace.len(), 2);
}

#[test]
fn usdt_probes_and_their_semaphores() {
    need_ebpf!();
    let Some(scratch) = built("library-usdt") else { skip!("no C compiler") };
    let run = scene(&scratch, &["-e", "trace=none", "--usdt=./user:user:*"], "probes");
    assert_eq!(lines(&run.trace), ["user:user:first(-42, \"some text\")", "user:user:second(7, \"some text\")"]);
    assert_eq!(run.out, "watched\n");
    assert_eq!(scene(&scratch, &["-e", "trace=none"], "probes").out, "alone\n");
}

/// Nothing is traced, so it takes neither eBPF nor root.
#[test]
fn probes_and_functions_are_listed() {
    let Some(scratch) = built("library-list") else { skip!("no C compiler") };
    let list = |option: &str| {
        let mut command = bare_stride();
        command.arg(option).args(["touch", "ran"]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert!(!scratch.path("ran").exists(), "{option}: the program ran");
        run
    };
    // As they are given to the options, with their arguments.
    let run = list("--usdt=list:./user");
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert_eq!(run.out, "./user:user:first   2 arguments\n./user:user:second  2 arguments\n");
    assert_eq!(list("--usdt=list:./user:user:s*").out, "./user:user:second  2 arguments\n");
    let run = list("--library-calls=list:./library.so:[ag]*");
    assert_eq!(run.out, "./library.so:add(a, b)\n./library.so:greet(name, how_often)\n", "{run:?}");
    // A process has its program and libraries.
    let mut user = Command::new("./user");
    user.arg("wait").current_dir(scratch.path("")).stdout(Stdio::piped());
    let mut user = Killed(user.spawn().unwrap());
    std::io::Read::read_exact(user.0.stdout.as_mut().unwrap(), &mut [0; 6]).unwrap();
    let pid = user.0.id();
    let run = list(&format!("--usdt=list:{pid}"));
    assert!(run.out.starts_with("user:user:first "), "{run:?}");
    let run = list(&format!("--library-calls=list:{pid}"));
    assert!(run.out.contains("/library.so\n") && run.out.contains("/libc.so.6\n"), "{run:?}");
    assert_eq!(list(&format!("--library-calls=list:{pid}:add")).out, "library:add(a, b)\n");
    // Listed probes can be traced.
    if stride_engine_ebpf::available().is_ok() {
        let run = scene(&scratch, &["-e", "trace=none", "--usdt=./user:user:second"], "probes");
        assert_eq!(lines(&run.trace).len(), 1, "{run:?}");
    }
    for (option, says) in [
        ("--usdt=list:nosuch", "there is no library, program or file 'nosuch'"),
        ("--usdt=list:./bare.so", "there is no USDT probe in '"),
        ("--usdt=list:./user:nosuch:*", "there is no USDT probe that matches in '"),
        ("--usdt=list:2147483647", "there is no process 2147483647: `pgrep -a NAME`"),
        ("--library-calls=list", "--library-calls=list needs a library, a program or a process"),
        ("--library-calls=list:./library.so:nosuch", "no function of '"),
        ("--library-calls=list:./library.so:[", "the pattern '['"),
    ] {
        let run = list(option);
        assert!(run.code() == Some(1) && run.out.is_empty() && run.err.contains(says), "{option}: {run:?}");
    }
}

/// A directory, or a script that comes first on PATH, is no library of that name.
#[test]
fn a_program_is_found_behind_scripts() {
    let Some(scratch) = built("library-script") else { skip!("no C compiler") };
    for directory in ["one", "two"] {
        std::fs::create_dir(scratch.path(directory)).unwrap();
    }
    std::fs::write(scratch.path("one/user"), "#!/bin/sh\nexec ../two/user\n").unwrap();
    std::fs::rename(scratch.path("user"), scratch.path("two/user")).unwrap();
    std::fs::create_dir_all(scratch.path("libraries/user")).unwrap();
    let mut command = bare_stride();
    let path = std::env::join_paths([scratch.path("one"), scratch.path("two")]).unwrap();
    command.arg("--usdt=list:user").env("PATH", path).env("LD_LIBRARY_PATH", scratch.path("libraries"));
    let run = Run::of(command);
    assert_eq!(run.out, "user:user:first   2 arguments\nuser:user:second  2 arguments\n", "{run:?}");
}

#[test]
fn every_view_has_functions() {
    need_ebpf!();
    let Some(scratch) = built("library-views") else { skip!("no C compiler") };
    scene(&scratch, &["--record=rec", "--perfetto=p.pftrace", "-e", "trace=write", FUNCTIONS], "calls");
    let live = scene(&scratch, &["-e", "trace=none", FUNCTIONS], "calls");
    let replayed = |options: &[&str]| {
        let mut command = bare_stride();
        command.args(["--replay=rec"]).args(options).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        run.out
    };
    // Addresses differ from run to run.
    let plain = |text: &str| {
        let line = |line: &str| line.split("0x").next().unwrap_or_default().to_owned();
        text.lines().filter(|l| !l.starts_with("write")).map(line).collect::<Vec<_>>()
    };
    assert_eq!(plain(&replayed(&["-a1"])), plain(&live.trace));

    let json = replayed(&["--json"]);
    let calls: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|o: &serde_json::Value| o["type"] == "library_call")
        .collect();
    assert_eq!(calls.len(), 9);
    assert_eq!(calls[0]["function"], "library:add");
    assert_eq!(calls[0]["args"], serde_json::json!([{"name": "a", "value": 2}, {"name": "b", "value": -3}]));
    assert_eq!((&calls[0]["ret"], &calls[0]["outcome"]), (&serde_json::json!(-1), &serde_json::json!("ok")));
    assert_eq!(calls[1]["args"][5]["value"], serde_json::json!({"text": "six\n"}));
    assert!(calls[0]["duration_ns"].as_u64().unwrap() > 0);
    // A call is written when it has returned.
    assert_eq!(
        (&calls[5]["depth"], &calls[6]["function"]),
        (&serde_json::json!(1), &serde_json::json!("library:twice"))
    );

    let counted = replayed(&["-c"]);
    let add = counted.lines().find(|line| line.ends_with(" library:add")).unwrap_or_else(|| panic!("{counted}"));
    assert_eq!(add.split_whitespace().nth(3), Some("2"), "{add}");
    assert!(counted.contains("function\n"), "{counted}");
    assert_eq!(
        replayed(&["-a1", "--where", "name == 'library:add' && ret < 0"]).trim_end(),
        "library:add(2, -3) = -1\n+++ exited with 0 +++"
    );
}

#[test]
fn a_running_process_is_traced_and_left_alone() {
    need_ebpf!();
    let Some(scratch) = built("library-attach") else { skip!("no C compiler") };
    let mut user = Command::new(scratch.path("user"));
    user.arg("wait").current_dir(scratch.path("")).stdout(std::fs::File::create(scratch.path("said")).unwrap());
    let mut user = Killed(user.spawn().unwrap());
    wait_until("the program", || scratch.read("said").contains("ready"));
    let watch = |name: &str| {
        let mut stride = bare_stride();
        stride
            .args(["-a1", "-e", "trace=none", FUNCTIONS, "-o"])
            .arg(scratch.path(name))
            .args(["-p", &user.tid().to_string()]);
        let err = std::fs::File::create(scratch.path("err")).unwrap();
        Killed(stride.current_dir(scratch.path("")).stdin(Stdio::null()).stderr(err).spawn().unwrap())
    };
    let attached = || wait_until("Stride", || scratch.read("err").contains(" attached"));
    // A Stride that is killed leaves no probes, and no process that stumbles over one.
    let mut killed = watch("first");
    attached();
    send(&killed, Signal::SIGKILL);
    killed.0.wait().unwrap();
    let mut stride = watch("second");
    attached();
    send(&user, Signal::SIGUSR1);
    assert!(user.0.wait().unwrap().success());
    stride.0.wait().unwrap();
    assert_eq!(
        lines(&scratch.read("second")).into_iter().filter(|l| !l.starts_with("---")).collect::<Vec<_>>(),
        ["library:add(40, 2) = 42"]
    );
}

/// A watched return would end each of these programs.
#[test]
fn exceptions_and_saved_return_addresses_survive() {
    need_ebpf!();
    let Some(scratch) = built("library-survives") else { skip!("no C compiler") };
    let run = scene(
        &scratch,
        &["-f", "-e", "trace=none", "--library-calls=libc:*jmp*,libc:dl*,libc:pthread_*,user:*"],
        "leave",
    );
    assert_eq!(run.out, "left\n");
    assert!(run.err.contains("not when "), "{run:?}");
    let source = "#include <stdexcept>\nint __attribute__((noinline)) f(int n) { if (n) throw std::runtime_error(\"x\"); return n; }\n\
                  int main(int n, char **) { try { f(n); } catch (std::exception &) { return 0; } return 1; }\n";
    std::fs::write(scratch.path("throws.cc"), source).unwrap();
    let built = Command::new("c++").args(["-O1", "-o", "throws", "throws.cc"]).current_dir(scratch.path("")).status();
    if !built.is_ok_and(|status| status.success()) {
        skip!("no C++ compiler");
    }
    let run = traced(&scratch, &["-e", "trace=none", "--library-calls=throws:*", "./throws"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.trace.contains("throws:f(int)("), "{run:?}");
}

#[test]
fn well_known_functions_of_the_c_library() {
    need_ebpf!();
    let scratch = Scratch::new("library-libc");
    let run = traced(&scratch, &["-e", "trace=none", "--library-calls=libc:malloc,libc:getenv", "ls", "/"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let malloc: Vec<&str> = run.trace.lines().filter(|line| line.contains("libc:malloc(")).collect();
    assert!(malloc.len() > 10, "{run:?}");
    for line in malloc {
        let (size, address) = line.trim_start().strip_prefix("libc:malloc(").unwrap().split_once(") = ").unwrap();
        assert!(size.parse::<u64>().is_ok() && address.starts_with("0x"), "{line}");
    }
    assert!(run.trace.contains("libc:getenv(\""), "{run:?}");
}

#[test]
fn what_is_refused_says_why() {
    need_ebpf!();
    let scratch = Scratch::new("library-refused");
    let refused = |options: &[&str]| {
        let run = traced(&scratch, &[options, &["true"]].concat());
        assert_eq!((run.code(), run.trace.as_str()), (Some(1), ""), "{run:?}");
        run.err
    };
    for (options, says) in [
        (
            &["--engine=ptrace", "--library-calls=libc:malloc"][..],
            "--library-calls needs the eBPF engine: ptrace sees system calls",
        ),
        (&["--library-calls=libc:malloc", "--kill-on-exit"], "leave one of them out"),
        (&["--library-calls=libc"], "'libc' is not LIB:GLOB"),
        (&["--library-calls=libc:nosuchfunction"], "no function of "),
        (&["--library-calls=libnosuch:x"], "there is no library 'libnosuch'"),
        (&["--library-calls=./nosuch.so:x"], "there is no file './nosuch.so'"),
        (&["--library-calls=/etc/passwd:x"], "is no 64-bit ELF file"),
        (&["--usdt=libc:x"], "is not LIB:PROVIDER:NAME"),
    ] {
        let message = refused(options);
        assert!(message.contains(says), "{options:?}: {message}");
    }
}

/// In the style of another tool, a function has a line of that tool's. System calls between functions have their own
/// times.
#[test]
fn other_styles_and_times() {
    need_ebpf!();
    let Some(scratch) = built("library-styles") else { skip!("no C compiler") };
    let perf = scene(&scratch, &["--style=perf", "-e", "trace=write", FUNCTIONS], "calls").trace;
    let line =
        regex::Regex::new(r"^ *\d+\.\d{3} \( *(\d+\.\d{3} ms|)\): user/\d+ (library:\w+|write|exit_group)\(").unwrap();
    assert!(perf.lines().all(|text| line.is_match(text)) && perf.contains("user/"), "{perf}");
    assert!(perf.contains("library:"), "{perf}");
    let truss = scene(&scratch, &["--style=truss", "-e", "trace=write", FUNCTIONS], "calls").trace;
    assert!(truss.lines().any(|line| line.trim_start().starts_with("-> library:")), "{truss}");
    assert!(truss.lines().any(|line| line.trim_start().starts_with("<- library:")), "{truss}");

    let began = std::time::Instant::now();
    let run = scene(&scratch, &["-T", FUNCTIONS], "calls");
    let most = began.elapsed();
    let took = regex::Regex::new(r" <(\d+\.\d+)>$").unwrap();
    let times: Vec<f64> = run.trace.lines().filter_map(|line| took.captures(line)?[1].parse().ok()).collect();
    assert!(times.len() > 10, "{run:?}");
    assert!(times.iter().all(|&seconds| seconds <= most.as_secs_f64()), "longer than the run of {most:?}: {run:?}");
}
