//! The command lines that Stride refuses, and its messages.

use crate::common::*;
use std::io::Read;
use std::process::Stdio;

#[test]
fn bad_input_is_named_and_nothing_is_run() {
    let scratch = Scratch::new("bad");
    let ran = scratch.path("ran");
    let hint = format!("Try '{STRIDE} -h' for more information.");
    // The arguments, the message, and whether a hint follows.
    for (args, message, hinted) in [
        (&["-Q"][..], "invalid option -- 'Q'", true),
        (&["--nonsense"], "unrecognized option '--nonsense'", true),
        (&["-o"], "option requires an argument -- 'o'", true),
        (&["-e", "trace=nonsense"], "invalid system call 'nonsense'", false),
        (&["-e", "trace=read,nonsense"], "invalid system call 'nonsense'", false),
        (&["-e", "trace=%nonsense"], "invalid system call '%nonsense'", false),
        (&["-e", "trace=/nonsense"], "invalid system call '/nonsense'", false),
        (&["-e", "trace=/+"], "regcomp: +: Invalid preceding regular expression", false),
        (&["-e", "signal=NONSENSE"], "invalid signal 'NONSENSE'", false),
        (&["-e", "status=nonsense"], "invalid status 'nonsense'", false),
        (&["-e", "fds=x"], "invalid descriptor 'x'", false),
        (&["-s", "-1"], "invalid -s argument: '-1'", true),
        (&["-X", "nonsense"], "invalid -X argument: 'nonsense'; it may be abbrev, raw, verbose", true),
        (&["--syscall-limit=0"], "invalid --syscall-limit argument: '0'", true),
        (&["--color=nonsense"], "invalid --color argument: 'nonsense'; it may be always, auto, never", true),
        (
            &["--for=1"],
            "invalid --for argument: '1'; a time has a unit: --for=1s is seconds, and 1ms milliseconds",
            true,
        ),
        (
            &["--for", "soon"],
            "invalid --for argument: 'soon'; give a number and a unit (h, m, s, ms, us or ns), such as --for=1s",
            true,
        ),
        (&["-p", "x"], "Invalid process id: 'x'", false),
        (&["-c", "-C"], "-c/--summary-only and -C/--summary are mutually exclusive", true),
        (&["--exact-times"], "--exact-times must be given with (-c/--summary-only or -C/--summary) or --by", true),
        (&["-o", "/nonexistent/trace"], "Can't fopen '/nonexistent/trace': No such file or directory", false),
        (&["-o", "/"], "Can't fopen '/': Is a directory", false),
    ] {
        // An option without its argument would take the program's name as the argument.
        let program = if message.contains("requires") { vec![] } else { vec!["touch".as_ref(), ran.as_os_str()] };
        let run = run(args.iter().map(|s| s.as_ref()).chain(program));
        let mut expected = vec![format!("{STRIDE}: {message}")];
        expected.extend(hinted.then(|| hint.clone()));
        assert_eq!(run.err.lines().collect::<Vec<_>>(), expected, "{args:?}");
        assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{args:?}");
        assert!(!ran.exists(), "{args:?}: the program was run");
    }
}

#[test]
fn no_such_program() {
    let long = "x".repeat(5000);
    for (program, message) in [
        ("no-such-program", "Cannot find executable 'no-such-program'"),
        ("", "Cannot find executable ''"),
        ("./no/such/program", "Cannot stat './no/such/program': No such file or directory"),
        (&long, "exec: File name too long"),
    ] {
        let run = run([program]);
        assert_eq!((run.messages(), run.code()), (vec![message], Some(1)));
    }
}

#[test]
fn what_cannot_be_executed() {
    let scratch = Scratch::new("exec");
    let run = scratch.stride(["/"]);
    assert_eq!(run.messages(), ["exec: Permission denied"]);
    assert_eq!(run.code(), Some(1));
    lines_are(
        &run.trace,
        &[
            r#"execve\("/", \["/"\], 0x\w+ /\* \d+ vars \*/\) = -1 EACCES \(Permission denied\)"#,
            r"\+\+\+ exited with 1 \+\+\+",
        ],
    );
}

/// A file that nobody may execute, whoever runs Stride. A person at a terminal is told the way on, too.
#[test]
fn a_file_that_is_no_program() {
    let scratch = Scratch::new("no-program");
    std::fs::write(scratch.path("script"), "echo hello\n").unwrap();
    let hint = "'./script' is no program: `chmod +x` makes a program of a script, or name the program that reads it, such as sh './script'";
    for (program, output) in [("./script", hint), ("/", "'/' is a directory: name a program, such as ls '/'")] {
        for engine in engines() {
            let terminal = nix::pty::openpty(None, None).unwrap();
            let mut command = bare_stride();
            command.args([engine, "-o", "trace", program]).current_dir(scratch.path("")).stderr(terminal.slave);
            assert_eq!(command.status().unwrap().code(), Some(1), "{engine}");
            drop(command);
            let mut shown = Vec::new();
            // Reading fails with EIO when all have closed the terminal.
            let _ = std::fs::File::from(terminal.master).read_to_end(&mut shown);
            let expected = ["exec: Permission denied", output].map(|line| format!("{STRIDE}: {line}\r\n")).concat();
            assert_eq!(text(&shown), expected, "{engine} {program}");
        }
    }
}

#[test]
fn no_such_process() {
    let run = run(["-p", "2147483647"]);
    assert_eq!(
        run.messages(),
        [
            "attach: ptrace(PTRACE_SEIZE, 2147483647): No such process",
            "There is no process or thread 2147483647: `pgrep -a NAME` lists processes and their ids",
        ]
    );
    assert_eq!(run.code(), Some(1));
}

/// Words behind -p may have been meant for the process.
#[test]
fn the_command_alone_is_traced_if_no_process_is() {
    for engine in engines() {
        let mut command = bare_stride();
        command.args([engine, "-e", "trace=none", "-p", "2147483647", "-c", "true"]);
        let run = Run::of(command);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let output = run.messages();
        assert!(output[0].ends_with("No such process") && output[1].contains("`pgrep -a NAME`"), "{output:?}");
        let only =
            "Only the command 'true' is traced. (All that follows the first word without a dash is the command.)";
        assert_eq!(output[2], only);
    }
}

/// Nobody sees calls of a thread that makes none.
#[test]
fn threads_of_the_kernel() {
    // kthreadd, if this is the first PID namespace.
    let is_there = std::fs::read_to_string("/proc/2/comm").is_ok_and(|comm| comm == "kthreadd\n");
    if !is_there || !is_root() {
        skip!("the threads of the kernel are not seen here");
    }
    for engine in engines() {
        let mut command = bare_stride();
        command.args([engine, "-p", "2"]);
        let run = Run::of(command);
        let output = run.messages();
        assert!(
            run.code() == Some(1) && output[0].ends_with("2): Operation not permitted")
                || output[0].ends_with("2: Operation not permitted")
        );
        let why = "Process 2 is a thread of the kernel, and makes no system calls: name a process that runs a program";
        assert_eq!(output[1..], [why], "{engine}");
    }
}

#[test]
fn who_traces_a_process_already_is_told() {
    let actor = program!("actor");
    let mut tracer = stride();
    tracer.args(["-q", "-e", "trace=none"]).arg(actor).arg("sleep_on").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut tracer = Killed(tracer.spawn().unwrap());
    let mut ready = [0; 6];
    std::io::Read::read_exact(tracer.0.stdout.as_mut().unwrap(), &mut ready).unwrap();
    let Some(tracee) = first_child(tracer.0.id()) else { skip!("/proc does not tell of children") };
    let tracee = &tracee.to_string();
    let run = run(["-p", tracee]);
    assert_eq!(
        run.messages(),
        [
            format!("attach: ptrace(PTRACE_SEIZE, {tracee}): Operation not permitted"),
            format!("Process {tracee} is already being traced by pid {}", tracer.0.id()),
        ]
    );
    let _ = std::process::Command::new("kill").args(["-9", tracee]).status();
}

#[test]
fn no_such_user() {
    let run = run(["-u", "no such user", "true"]);
    let message =
        if is_root() { "Cannot find user 'no such user'" } else { "You must be root to use the -u/--username option" };
    assert_eq!((run.messages(), run.code()), (vec![message], Some(1)));
}

#[test]
fn an_output_for_each_that_cannot_be_opened() {
    let scratch = Scratch::new("ff-bad");
    let ran = scratch.path("ran");
    let run = run(["-ff", "-o", "/nonexistent/trace", "touch"].map(AsRef::as_ref).into_iter().chain([ran.as_os_str()]));
    assert_eq!(run.code(), Some(1));
    assert!(is(run.messages()[0], r"Can't fopen '/nonexistent/trace\.\d+': No such file or directory"), "{}", run.err);
    assert_eq!(run.messages().len(), 1);
    assert!(!ran.exists(), "the program was run");
}

#[test]
fn a_full_disk_is_told_once_and_the_program_goes_on() {
    need!("/dev/full");
    let run = run(["-f", "-o", "/dev/full", "sh", "-c", "true; (true); echo done; exit 3"]);
    assert_eq!(run.messages(), ["/dev/full: No space left on device"]);
    assert_eq!((run.code(), run.out.as_str()), (Some(3), "done\n"));
}

/// A word by which other tools are told what to do is looked for among the programs first.
#[test]
fn a_word_that_is_no_program_may_mean_an_option() {
    let scratch = Scratch::new("habits");
    let run = |program: &str| {
        let mut command = stride();
        command.arg("-fq").arg(program).env("PATH", scratch.path(""));
        Run::of(command)
    };
    let output = run("attach");
    let message = "Cannot find executable 'attach'; did you mean the option -p, --attach=PID (trace the process with this id as well; may \
                   be repeated)?";
    assert_eq!((output.code(), output.messages()), (Some(1), vec![message]));
    copy_program("/bin/true", scratch.path("attach"));
    let found = run("attach");
    assert!(found.code() == Some(0) && found.err.contains("execve("), "{found:?}");
}

#[test]
fn help_is_short_or_whole() {
    let (short, whole) = (run(["-h"]), run(["--help"]));
    assert!(short.code() == Some(0) && short.out.lines().count() <= 24, "{}", short.out);
    assert!(short.out.lines().last().is_some_and(|line| line.contains("stride --help")), "{}", short.out);
    assert!(whole.out.lines().count() > 100 && whole.out.contains("--summary-syscall-overhead=TIME"), "{}", whole.out);
}
