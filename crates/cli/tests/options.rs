//! What the options do, told by what comes out: one program, `stride`, from its arguments to its exit status.

mod common;

use common::*;
use std::process::Stdio;
use stride_test_support::compile;
use stride_test_support::state::threads as threads_of;

// --- mistakes -------------------------------------------------------------------------------------------------------

#[test]
fn bad_input_is_named_and_nothing_is_run() {
    let scratch = Scratch::new("bad");
    let ran = scratch.path("ran");
    let hint = format!("Try '{STRIDE} -h' for more information.");
    // What is wrong; what is said about it; whether a hint follows.
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
        (&["-X", "nonsense"], "invalid -X argument: 'nonsense'", true),
        (&["--syscall-limit=0"], "invalid --syscall-limit argument: '0'", true),
        (&["--color=nonsense"], "invalid --color argument: 'nonsense'", true),
        (&["-p", "x"], "Invalid process id: 'x'", false),
        (&["-c", "-C"], "-c/--summary-only and -C/--summary are mutually exclusive", true),
        (&["-o", "/nonexistent/trace"], "Can't fopen '/nonexistent/trace': No such file or directory", false),
        (&["-o", "/"], "Can't fopen '/': Is a directory", false),
    ] {
        // An option that lacks its argument would take the program's name for it.
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

#[test]
fn no_such_process() {
    let run = run(["-p", "2147483647"]);
    assert_eq!(run.messages(), ["attach: ptrace(PTRACE_SEIZE, 2147483647): No such process"]);
    assert_eq!(run.code(), Some(1));
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

// --- how it ends ----------------------------------------------------------------------------------------------------

#[test]
fn the_exit_status_is_the_programs() {
    for status in [0, 1, 42, 255] {
        let run = run(["-e", "trace=none", "sh", "-c", &format!("exit {status}")]);
        assert_eq!(run.code(), Some(status));
        assert_eq!(run.err, format!("+++ exited with {status} +++\n"));
    }
}

#[test]
fn stride_dies_as_the_program_did() {
    for (name, signal) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("HUP", 1), ("PIPE", 13)] {
        let run = run(["-e", "trace=none", "-e", "signal=none", "sh", "-c", &format!("ulimit -c 0; kill -{name} $$")]);
        assert_eq!(run.signal(), Some(signal), "{run:?}");
        assert_eq!(run.err, format!("+++ killed by SIG{name} +++\n"));
    }
}

#[test]
fn quiet() {
    let quiet = |args: &[&str]| {
        run(args.iter().copied().chain(["-f", "-e", "trace=none", "-e", "signal=none", "sh", "-c", "(exit 1); exit 2"]))
            .err
    };
    let loud = quiet(&[]);
    assert!(loud.contains(" attached\n") && loud.matches("+++ exited with").count() == 2, "{loud}");
    let exits = quiet(&["-q"]);
    assert!(!exits.contains(" attached\n") && exits.matches("+++ exited with").count() == 2, "{exits}");
    assert_eq!(quiet(&["-qq"]), "");
    assert_eq!(quiet(&["-e", "quiet=attach,exit"]), "");
}

// --- where it goes --------------------------------------------------------------------------------------------------

#[test]
fn output_to_a_command() {
    let scratch = Scratch::new("pipe");
    let log = scratch.path("log");
    let run = run(["-f", "-e", "trace=chdir", "-o", &format!("|cat > {}", log.display()), "sh", "-c", "cd /; exit 5"]);
    assert_eq!((run.code(), run.err.as_str()), (Some(5), ""));
    // All of it is there when Stride is done.
    lines_are(&scratch.read("log"), &[r#"\d+ +chdir\("/"\) += 0"#, r"\d+ +\+\+\+ exited with 5 \+\+\+"]);
}

#[test]
fn an_output_for_each_process() {
    let scratch = Scratch::new("ff");
    let mut command = stride();
    command.args(["-ff", "-o"]).arg(scratch.path("log")).args([
        "-e",
        "trace=chdir",
        "-e",
        "signal=none",
        "sh",
        "-c",
        "cd /; (cd /tmp); exit 1",
    ]);
    assert_eq!(Run::of(command).code(), Some(1));
    let files = std::fs::read_dir(scratch.path(".")).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut texts: Vec<String> = files.map(|name| scratch.read(&name)).collect();
    texts.sort();
    assert_eq!(texts.len(), 2, "{texts:?}");
    lines_are(&texts[0], &[r#"chdir\("/"\) +=.*"#, r"\+\+\+ exited with 1 \+\+\+"]);
    lines_are(&texts[1], &[r#"chdir\("/tmp"\) +=.*"#, r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn output_is_appended_if_asked() {
    let scratch = Scratch::new("append");
    std::fs::write(scratch.path("trace"), "before\n").unwrap();
    let run = scratch.stride(["-A", "-e", "trace=none", "true"]);
    assert_eq!(run.trace, "before\n+++ exited with 0 +++\n");
    let run = scratch.stride(["-e", "trace=none", "true"]);
    assert_eq!(run.trace, "+++ exited with 0 +++\n");
}

#[test]
fn the_standard_streams_are_the_programs_alone() {
    let show = "readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1; readlink /proc/self/fd/0";
    let mut command = stride();
    command.args(["-qq", "-e", "trace=none", "-e", "signal=none", "sh", "-c", show]).stdin(Stdio::piped());
    let output = command.stdout(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let out = text(&output.stdout);
    lines_are(&out, &["/dev/null", "/dev/null", r"pipe:.*"]);
}

#[test]
fn summaries() {
    let calls = ["-e", "trace=chdir", "sh", "-c", "cd /; cd /; cd /nonexistent; exit 4"];
    let table = run(["-c", "-U", "calls,errors,name", "-S", "name"].into_iter().chain(calls));
    assert_eq!(table.code(), Some(4));
    let table: Vec<&str> = table.err.lines().filter(|l| !l.starts_with("sh: ")).collect();
    let table = table.join("\n");
    lines_are(
        &table,
        &[
            "    calls    errors syscall",
            "--------- --------- ----------------",
            " +3 +1 chdir",
            "--------- --------- ----------------",
            " +3 +1 total",
        ],
    );
    let both = run(["-C"].into_iter().chain(calls)).err;
    lines_include(
        &both,
        &[
            r#"chdir\("/"\) += 0"#,
            r"\+\+\+ exited with 4 \+\+\+",
            "% time     seconds  usecs/call     calls    errors syscall",
            r" *\d+\.\d\d +\d\.\d{6} +[\d.]+ +3 +1 chdir",
        ],
    );
}

#[test]
fn colours() {
    let plain = run(["-e", "trace=chdir", "sh", "-c", "cd /nonexistent; cd /"]).err;
    let painted = run(["--color=always", "-e", "trace=chdir", "sh", "-c", "cd /nonexistent; cd /"]).err;
    assert!(!plain.contains('\x1b'));
    assert!(
        painted.contains(
            "\x1b[33mchdir\x1b[0m(\x1b[35m\"/nonexistent\"\x1b[0m)                   = \x1b[32m-1\x1b[0m \x1b[31mENOENT"
        ),
        "{painted:?}"
    );
    // The same text, laid out the same way.
    let stripped = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap().replace_all(&painted, "").into_owned();
    assert_eq!(stripped, plain);
    let mut command = stride();
    command
        .args(["--color=always", "-e", "trace=chdir", "sh", "-c", "cd /"])
        .env("STRACE_COLORS", "SYSCALL = 1;95 :punct=36");
    assert!(Run::of(command).err.contains("\x1b[1;95mchdir\x1b[0m\x1b[36m(\x1b[0m"));
}

// --- whom -----------------------------------------------------------------------------------------------------------

#[test]
fn daemonized_the_command_is_the_callers_child() {
    let scratch = Scratch::new("daemon");
    for how in ["-D", "-DD", "-DDD"] {
        let log = scratch.path("log");
        let mut command = stride();
        command.arg(how).arg("-o").arg(&log).args(["-e", "trace=chdir", "sh", "-c", "echo $$ $PPID; cd /; exit 6"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{how}");
        assert_eq!(text(&output.stdout), format!("{pid} {}\n", std::process::id()), "{how}");
        // The tracer finishes in its own time.
        wait_for("the trace", || std::fs::read_to_string(&log).ok().filter(|t| t.contains("+++ exited")));
        lines_are(&scratch.read("log"), &[r#"chdir\("/"\) += 0"#, r"\+\+\+ exited with 6 \+\+\+"]);
        std::fs::remove_file(log).unwrap();
    }
}

/// Attaches, waits until that has been told, interrupts, and returns what was said: by Stride, with its name left out.
fn attach_and_interrupt(args: &[&str], scene: &str, threads: usize) -> Option<(u32, String)> {
    let actor = compile("actor").ok()?;
    let target = ready(actor, scene);
    let pid = target.0.id();
    // Ready is said before the call that is to be interrupted.
    wait_for("all threads to sleep", || {
        let asleep = threads_of(pid as i32).into_iter().filter(|&tid| state(tid) == Some('S')).count();
        (asleep == threads).then_some(())
    });
    let scratch = Scratch::new(&format!("attach-{scene}-{}", args.len()));
    let log = scratch.path("err");
    let mut command = stride();
    command.args(args).arg("-p").arg(pid.to_string()).stderr(std::fs::File::create(&log).unwrap());
    let mut tracer = Killed(command.spawn().unwrap());
    let waiting = |t: &String| t.matches(" attached\n").count() == threads && t.matches("resuming").count() == threads;
    wait_for("being attached", || Some(scratch.read("err")).filter(waiting));
    send(&tracer, nix::sys::signal::Signal::SIGINT);
    let status = tracer.0.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2));
    // It lives on, and is neither stopped nor traced.
    let status = wait_for("sleep", || {
        std::fs::read_to_string(format!("/proc/{pid}/status")).ok().filter(|s| s.contains("State:\tS (sleeping)"))
    });
    assert!(status.contains("TracerPid:\t0\n"));
    Some((pid, scratch.read("err").replace(STRIDE, "stride")))
}

#[test]
fn attached_and_let_go_in_the_middle_of_a_call() {
    let Some((pid, err)) = attach_and_interrupt(&[], "sleep_on", 1) else { skip!("no C compiler (cc)") };
    let resumed = r"restart_syscall\(<\.\.\. resuming interrupted (clock_)?nanosleep \.\.\.>";
    lines_are(
        &err,
        &[
            &format!("stride: Process {pid} attached"),
            &format!("{resumed}stride: Process {pid} detached"),
            " <detached [.]{3}>",
        ],
    );
}

#[test]
fn attached_with_all_threads() {
    let actor = program!("actor");
    let mut target = ready(actor, "sit_together");
    let pid = target.0.id();
    let scratch = Scratch::new("threads");
    let mut command = stride();
    command.args(["-f", "-e", "trace=none", "-o"]).arg(scratch.path("trace")).arg("-p").arg(pid.to_string());
    let tracer = command.stderr(std::fs::File::create(scratch.path("err")).unwrap()).spawn().unwrap();
    let mut tracer = Killed(tracer);
    scratch.wait_attached(3);
    let _ = target.0.kill();
    // With its target gone Stride ends by itself.
    assert_eq!(tracer.0.wait().unwrap().code(), Some(0));
    let trace = scratch.read("trace");
    lines_are(&trace, &[r"\d+ +\+\+\+ killed by SIGKILL \+\+\+"; 3]);
    assert!(trace.contains(&pid.to_string()));
}

#[test]
fn one_target_and_a_command_are_told_apart() {
    let actor = program!("actor");
    let target = ready(actor, "sit_together");
    let scratch = Scratch::new("both");
    let pid = target.0.id().to_string();
    let kill = format!("cd /; kill -9 {pid}");
    let run = scratch.stride(["-e", "trace=chdir", "-e", "signal=none", "-p", &pid, "sh", "-c", &kill]);
    lines_include(&run.trace, &[r#"\d+ +chdir\("/"\) += 0"#]);
    lines_include(&run.trace, &[&format!(r"{pid} +\+\+\+ killed by SIGKILL \+\+\+")]);
    lines_include(&run.trace, &[r"\d+ +\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn environment() {
    let mut command = stride();
    command.args([
        "-qq",
        "-e",
        "trace=none",
        "-e",
        "signal=none",
        "-E",
        "NEW=a=b",
        "-E",
        "OLD",
        "sh",
        "-c",
        "echo ${NEW-unset} ${OLD-unset} ${KEPT-unset}",
    ]);
    command.env("OLD", "x").env("KEPT", "y");
    assert_eq!(Run::of(command).out, "a=b unset y\n");
}

#[test]
fn another_user() {
    if !is_root() {
        skip!("only root can become another user");
    }
    let Ok(passwd) = std::fs::read_to_string("/etc/passwd") else { skip!("no /etc/passwd") };
    let Some(entry) = passwd.lines().find(|l| l.starts_with("nobody:")) else { skip!("no user nobody") };
    let ids: Vec<&str> = entry.split(':').skip(2).take(2).collect();
    let run = run(["-qq", "-e", "trace=none", "-e", "signal=none", "-u", "nobody", "sh", "-c", "id -u; id -g; id -ru"]);
    assert_eq!(run.out, format!("{}\n{}\n{0}\n", ids[0], ids[1]), "{}", run.err);
}

#[test]
fn the_name_can_be_another() {
    let run = run(["-a1", "-e", "trace=execve", "--argv0=other", "sh", "-c", "echo $0"]);
    assert_eq!(run.out, "other\n");
    lines_include(&run.err, &[r#"execve\("[^"]*/sh", \["other", "-c", "echo \$0"\], 0x\w+ /\* \d+ vars \*/\) = 0"#]);
}

// --- which calls ----------------------------------------------------------------------------------------------------

#[test]
fn a_limit() {
    let scratch = Scratch::new("limit");
    let script = "cd /; cd /tmp; cd /; cd /tmp; echo done; exit 3";
    let run = scratch.stride(["--syscall-limit=3", "-e", "trace=chdir", "sh", "-c", script]);
    lines_are(&run.trace, &[r#"chdir\("/"\) +.*"#, r#"chdir\("/tmp"\) +.*"#, r#"chdir\("/"\) +.*"#]);
    assert_eq!(run.messages(), ["System call limit has been reached, detaching tracees"]);
    wait_for("the program", || run.out.contains("done").then_some(()));
}

#[test]
fn a_limit_counts_what_is_shown() {
    let scratch = Scratch::new("limit-status");
    let script = "cd /; cd /no1; cd /; cd /no2; cd /; cd /no3";
    let run = scratch.stride(["--syscall-limit=2", "-Z", "-e", "trace=chdir", "sh", "-c", script]);
    lines_are(&run.trace, &[r#"chdir\("/no1"\) += -1 ENOENT .*"#, r#"chdir\("/no2"\) += -1 ENOENT .*"#]);
}

#[test]
fn only_what_succeeded_or_failed() {
    let scratch = Scratch::new("status");
    let with = |option: &str| {
        scratch.stride([option, "-qq", "-e", "trace=chdir", "sh", "-c", "cd /; cd /nonexistent; cd /"]).trace
    };
    lines_are(&with("-z"), &[r#"chdir\("/"\) += 0"#; 2]);
    lines_are(&with("-Z"), &[r#"chdir\("/nonexistent"\) += -1 ENOENT \(No such file or directory\)"#]);
    assert_eq!(with("--status=none"), "");
    assert_eq!(with("--status=all").lines().count(), 3);
}

#[test]
fn paths_and_descriptors() {
    let scratch = Scratch::new("paths");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    std::fs::write(scratch.path("b"), "bbb\n").unwrap();
    need!("/bin/cat");
    let a = scratch.path("a");
    let run = scratch.stride(["-e", "quiet=path-resolution,exit", "-P"].map(AsRef::as_ref).into_iter().chain([
        a.as_os_str(),
        "/bin/cat".as_ref(),
        a.as_os_str(),
        "b".as_ref(),
    ]));
    assert_eq!(run.out, "aaa\nbbb\n");
    let a = regex::escape(&a.to_string_lossy());
    lines_include(
        &run.trace,
        &[
            &format!(r#"openat\(AT_FDCWD, "{a}", O_RDONLY\) += 3"#),
            r#"read\(3, "aaa\\n", \d+\) += 4"#,
            r"close\(3\) += 0",
        ],
    );
    assert!(!run.trace.contains("bbb") && !run.trace.contains("exit_group"), "{}", run.trace);
    let run = scratch.stride(["-qq", "--trace-fds=1", "/bin/cat", "b"]);
    lines_include(&run.trace, &[r#"write\(1, "bbb\\n", 4\) += 4"#]);
    assert!(run.trace.lines().all(|l| l.contains("(1,") || l.contains("(1)") || l.contains(", 1, ")), "{}", run.trace);
}

#[test]
fn calls_without_a_name_are_always_shown() {
    let actor = program!("actor");
    let scratch = Scratch::new("unknown");
    for set in ["none", "read", "!all"] {
        let run = scratch.stride([
            "-qq".as_ref(),
            "-e".as_ref(),
            format!("trace={set}").as_ref(),
            actor.as_os_str(),
            "unknown".as_ref(),
        ]);
        let pattern = r"syscall_0x7d[01]\(.*\) += -1 ENOSYS \(Function not implemented\)";
        assert_eq!(run.trace.lines().filter(|l| is(l, pattern)).count(), 2, "{set}: {}", run.trace);
    }
}

#[test]
fn signals_to_show() {
    let scratch = Scratch::new("signals");
    let script = "trap : USR1 USR2; kill -USR1 $$; kill -USR2 $$";
    let with = |set: &str| scratch.stride(["-qq", "-e", "trace=none", "-e", set, "sh", "-c", script]).trace;
    lines_are(&with("signal=USR1"), &["--- SIGUSR1 .* ---"]);
    lines_are(&with("signal=!SIGUSR1"), &["--- SIGUSR2 .* ---"]);
    assert_eq!(with("signal=none"), "");
}

// --- how it looks ---------------------------------------------------------------------------------------------------

#[test]
fn times_and_numbers_in_front() {
    let scratch = Scratch::new("leaders");
    for (option, pattern) in [
        ("-t", r"\d\d:\d\d:\d\d "),
        ("-tt", r"\d\d:\d\d:\d\d\.\d{6} "),
        ("-ttt", r"\d{10}\.\d{6} "),
        ("--absolute-timestamps=ns", r"\d\d:\d\d:\d\d\.\d{9} "),
        ("--absolute-timestamps=format:unix,precision:ms", r"\d{10}\.\d{3} "),
        ("-r", r" +\d+\.\d{6} "),
        ("--relative-timestamps=ns", r" +\d+\.\d{9} "),
        ("--always-show-pid", r"\d+ +"),
    ] {
        let run = scratch.stride([option, "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
        lines_are(
            &run.trace,
            &[&format!(r#"{pattern}chdir\("/"\) = 0"#), &format!(r"{pattern}\+\+\+ exited with 0 \+\+\+")],
        );
    }
    let number = if cfg!(target_arch = "aarch64") { (49, 94) } else { (80, 231) };
    let run = scratch.stride(["-n", "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    // The last line has the number of the last call, though that was not asked for.
    lines_are(
        &run.trace,
        &[
            &format!(r#"\[ *{}\] chdir\("/"\) = 0"#, number.0),
            &format!(r"\[ *{}\] \+\+\+ exited with 0 \+\+\+", number.1),
        ],
    );
    let run = scratch.stride(["-i", "-a1", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    lines_are(&run.trace, &[r#"\[[0-9a-f]{16}\] chdir\("/"\) = 0"#, r"\[\?{16}\] \+\+\+ exited with 0 \+\+\+"]);
    let run = scratch.stride(["-T", "-a1", "-qq", "-e", "trace=chdir", "sh", "-c", "cd /"]);
    lines_are(&run.trace, &[r#"chdir\("/"\) = 0 <\d+\.\d{6}>"#]);
}

#[test]
fn relative_times_begin_with_nothing_and_add_up() {
    let scratch = Scratch::new("relative");
    let began = std::time::Instant::now();
    let run = scratch.stride(["-r", "-e", "trace=chdir", "sh", "-c", "cd /; sleep 0.05; cd /"]);
    let took = began.elapsed().as_secs_f64();
    let times: Vec<f64> = run.trace.lines().filter_map(|l| l.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(times[0], 0.0);
    let total: f64 = times.iter().sum();
    assert!((0.05..took).contains(&total), "{times:?} in {took} s");
}

#[test]
fn styles_of_names_and_strings() {
    let scratch = Scratch::new("styles");
    std::fs::write(scratch.path("data"), "a\u{e9}\tz").unwrap();
    let with =
        |args: &[&str]| scratch.stride(args.iter().copied().chain(["-a1", "-qq", "-P", "data", "cat", "data"])).trace;
    let names = |style: &str, flags: &str, dir: &str| {
        (vec!["-X".to_owned(), style.to_owned()], format!(r#"openat\({dir}, "data", {flags}\) = 3"#))
    };
    for (args, pattern) in [
        names("raw", "0", "-100"),
        names("abbrev", "O_RDONLY", "AT_FDCWD"),
        names("verbose", r"0 /\* O_RDONLY \*/", r"-100 /\* AT_FDCWD \*/"),
        (vec!["-N".into()], r#"openat\(dirfd=AT_FDCWD, pathname="data", flags=O_RDONLY\) = 3"#.into()),
        (vec!["-y".into()], r#"openat\(AT_FDCWD<.*>, "data", O_RDONLY\) = 3</.*/data>"#.into()),
        (vec!["-xx".into()], r#"openat\(AT_FDCWD, "\\x64\\x61\\x74\\x61", O_RDONLY\) = 3"#.into()),
        (vec![], r#"read\(3, "a\\303\\251\\tz", \d+\) = 5"#.into()),
        (vec!["-x".into()], r#"read\(3, "\\x61\\xc3\\xa9\\x09\\x7a", \d+\) = 5"#.into()),
        (vec!["-s2".into()], r#"read\(3, "a\\303"\.\.\., \d+\) = 5"#.into()),
        (vec!["-e".into(), "raw=read".into()], r"read\(0x3, 0x[0-9a-f]+, 0x[0-9a-f]+\) = 0x5".into()),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        lines_include(&with(&args), &[&pattern]);
    }
}

#[test]
fn structures_in_full_or_not_at_all() {
    let scratch = Scratch::new("verbose");
    let with = |args: &[&str]| {
        scratch
            .stride(args.iter().copied().chain(["-a1", "-qq", "-e", "trace=execve", "env", "-i", "A=1", "/bin/true"]))
            .trace
    };
    need!("/bin/true");
    lines_include(&with(&[]), &[r#"execve\("/bin/true", \["/bin/true"\], 0x[0-9a-f]+ /\* 1 var \*/\) = 0"#]);
    lines_include(&with(&["-v"]), &[r#"execve\("/bin/true", \["/bin/true"\], \["A=1"\]\) = 0"#]);
    lines_include(&with(&["-e", "verbose=none"]), &[r#"execve\("/bin/true", 0x[0-9a-f]+, 0x[0-9a-f]+\) = 0"#]);
}

#[test]
fn dumps() {
    let scratch = Scratch::new("dumps");
    std::fs::write(scratch.path("data"), "0123456789abcdefXYZ\n").unwrap();
    let run = scratch.stride(["-qq", "-e", "trace=read", "-e", "read=3", "-P", "data", "cat", "data"]);
    lines_include(
        &run.trace,
        &[
            r#"read\(3, .*\) = 20"#,
            r" \| 00000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef \|",
            r" \| 00010  58 59 5a 0a +XYZ\. +\|",
        ],
    );
}

#[test]
fn names_of_threads() {
    let run = run(["-Y", "-f", "-q", "-e", "trace=none", "-e", "signal=none", "sh", "-c", "(exit 1); exit 0"]);
    lines_include(&run.err, &[r"\[pid +\d+<sh>\] \+\+\+ exited with 1 \+\+\+", r"\+\+\+ exited with 0 \+\+\+"]);
}

#[test]
fn the_column_of_the_result() {
    let scratch = Scratch::new("column");
    for (option, column) in [("-a1", 11), ("-a20", 20), ("-a40", 40)] {
        let run = scratch.stride([option, "-qq", "-e", "trace=chdir", "sh", "-c", "cd /"]);
        assert_eq!(run.trace.find("= 0"), Some(column), "{option}: {}", run.trace);
    }
}

/// Nobody reads /dev/null: it is written like a file, in large pieces. A pipe may be read meanwhile and gets each line.
#[test]
fn a_device_that_nobody_reads_is_written_like_a_file() {
    need!("/bin/dash");
    let scratch = Scratch::new("device");
    let program = "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo >/dev/null; done";
    let writes = |to: &[&str]| {
        let inner = [&[STRIDE, "--engine=ptrace"], to, &["/bin/dash", "-c", program]].concat();
        let seen = scratch.stride([&["-e", "trace=write"], &inner[..]].concat());
        seen.trace.lines().filter(|line| line.starts_with("write(")).count()
    };
    let (null, file, pipe) = (writes(&["-o", "/dev/null"]), writes(&["-o", "file"]), writes(&["-o", "/dev/stdout"]));
    assert!(pipe > 400, "{pipe} writes to a pipe");
    // What is left is written out whenever it is quiet for a tenth of a second, which a busy machine may bring about.
    assert!(file < pipe / 4 && null < pipe / 4, "{file} writes to a file, {null} to /dev/null, {pipe} to a pipe");
}
