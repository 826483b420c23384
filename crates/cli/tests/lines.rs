//! How events become lines: calls cut in two, threads that replace others, signals, ends. First come scenes made for
//! this test, whose lines are known; then real programs, whose traces must be consistent and agree with strace's if
//! strace is installed.

mod common;

use common::*;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

// --- scenes ---------------------------------------------------------------------------------------------------------

/// The lines of a scene, with thread ids replaced by `A`, `B`, … in the order in which they appear.
fn scene(actor: &Path, name: &str, options: &[&str]) -> String {
    let scratch = Scratch::new(&format!("scene-{name}-{}", options.len()));
    let args = options.iter().map(AsRef::as_ref).chain([actor.as_os_str(), name.as_ref()]);
    let run = scratch.stride(["-a1"].map(AsRef::as_ref).into_iter().chain(args));
    let mut ids: HashMap<String, char> = HashMap::new();
    let mut known = |id: &str| {
        let next = (b'A' + ids.len() as u8) as char;
        *ids.entry(id.to_owned()).or_insert(next)
    };
    let lines = run.trace.lines().map(|line| match line.split_once(' ') {
        Some((id, rest)) if id.parse::<i32>().is_ok() => format!("{} {}\n", known(id), rest.trim_start()),
        _ => format!("{line}\n"),
    });
    let text: String = lines.collect();
    // Only in places of ids, because other numbers may have the same value.
    let inner = regex::Regex::new(r"(kill\(|si_pid=|\bpid |changed to )(\d+)").unwrap();
    let letter = |found: &regex::Captures<'_>| {
        let id = ids.get(&found[2]).map_or_else(|| found[2].to_owned(), char::to_string);
        format!("{}{id}", &found[1])
    };
    inner.replace_all(&text, letter).into_owned()
}

#[test]
fn a_call_that_another_thread_cuts_in_two() {
    let actor = program!("actor");
    let lines = scene(actor, "wait_in_turns", &["-f", "-e", "trace=read,write", "--trace-fds=3,4"]);
    let written = r#"B write\(4, "x", 1(\) = 1| <unfinished \.\.\.>)"#;
    lines_include(&lines, &[r"A read\(3 <unfinished \.\.\.>", written, r#"A <\.\.\. read resumed>, "x", 1\) = 1"#]);
    let whole = scene(actor, "wait_in_turns", &["-f", "-z", "-e", "trace=read,write", "--trace-fds=3,4"]);
    lines_include(&whole, &[r#"\w write\(4, "x", 1\) = 1"#]);
    lines_include(&whole, &[r#"\w read\(3, "x", 1\) = 1"#]);
    assert!(!whole.contains("unfinished") && !whole.contains("resumed"), "{whole}");
}

#[test]
fn execve_from_a_thread_that_is_not_the_first() {
    let actor = program!("actor");
    let trace = ["-f", "-e", "trace=execve,/nanosleep"];
    let lines = scene(actor, "exec_from_thread", &trace);
    let sleep = r"(clock_)?nanosleep\((CLOCK_REALTIME, 0, )?\{tv_sec=";
    lines_are(
        &lines,
        &[
            r#"A execve\(".*", \[".*"(?:\.\.\.)?, "exec_from_thread"\], 0x\w+ /\* \d+ vars \*/\) = 0"#,
            &format!(r"A {sleep}100, tv_nsec=0\}} <unfinished \.\.\.>"),
            r#"B execve\(".*", \[".*"(?:\.\.\.)?, "nothing"\], NULL <unfinished \.\.\.>"#,
            r"A <\.\.\. (clock_)?nanosleep resumed> <unfinished \.\.\.>\) = \?",
            r"A \+\+\+ superseded by execve in pid B \+\+\+",
            r"A <\.\.\. execve resumed>\) = 0",
            r"A \+\+\+ exited with 0 \+\+\+",
        ],
    );
    // With no other line between, the call's line shows what happened to the thread.
    let lines = scene(actor, "exec_from_thread", &["-f", "-e", "trace=execve"]);
    lines_are(
        &lines,
        &[
            r#"A execve\(".*", \[".*"(?:\.\.\.)?, "exec_from_thread"\], 0x\w+ /\* \d+ vars \*/\) = 0"#,
            r#"B execve\(".*", \[".*"(?:\.\.\.)?, "nothing"\], NULL <pid changed to A \.\.\.>"#,
            r"A \+\+\+ superseded by execve in pid B \+\+\+",
            r"A <\.\.\. execve resumed>\) = 0",
            r"A \+\+\+ exited with 0 \+\+\+",
        ],
    );
    let detached = scene(actor, "exec_from_thread", &["-f", "-e", "trace=execve,/nanosleep", "-e", "status=detached"]);
    lines_are(
        &detached,
        &[
            r#"A execve\(".*", \[".*"(?:\.\.\.)?, "nothing"\], NULL <pid changed to B \.\.\.>"#,
            r"B \+\+\+ superseded by execve in pid A \+\+\+",
            r"B \+\+\+ exited with 0 \+\+\+",
        ],
    );
    let unfinished = scene(actor, "exec_from_thread", &["-f", "-e", "trace=/nanosleep", "-e", "status=unfinished"]);
    lines_include(&unfinished, &[&format!(r"A {sleep}100, tv_nsec=0\}} <unfinished \.\.\.>\) = \?")]);
    let quiet = scene(actor, "exec_from_thread", &["-f", "-e", "trace=execve", "-e", "quiet=thread-execve"]);
    assert!(quiet.contains("execve resumed") && !quiet.contains("superseded"), "{quiet}");
}

#[test]
fn execve_from_a_thread_with_an_output_for_each() {
    let actor = program!("actor");
    let scratch = Scratch::new("thread-files");
    let mut command = stride();
    command
        .args(["-a1", "-ff", "-e", "trace=execve", "-o"])
        .arg(scratch.path("log"))
        .arg(actor)
        .arg("exec_from_thread");
    assert_eq!(Run::of(command).code(), Some(0));
    let files = std::fs::read_dir(scratch.path(".")).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut texts: Vec<String> = files.map(|name| scratch.read(&name)).collect();
    texts.sort_by_key(|text| text.lines().count());
    assert_eq!(texts.len(), 2);
    lines_are(&texts[0], &[r#"execve\(".*", \[".*"(?:\.\.\.)?, "nothing"\], NULL <pid changed to \d+ \.\.\.>"#]);
    lines_are(
        &texts[1],
        &[
            "execve\\(.*\\) = 0",
            r"\+\+\+ superseded by execve in pid \d+ \+\+\+",
            r"<\.\.\. execve resumed>\) = 0",
            r"\+\+\+ exited with 0 \+\+\+",
        ],
    );
}

#[test]
fn signals_that_interrupt_stop_and_kill() {
    let actor = program!("actor");
    let lines = scene(actor, "signals", &["-f", "-e", "trace=kill,rt_sigsuspend"]);
    // Each thread's lines are in order. The scheduler decides how they mix, and which calls are cut in two.
    let of = |id: &str| lines.lines().filter(|l| l.starts_with(id)).map(|l| format!("{l}\n")).collect::<String>();
    // (If several SIGCHLD follow each other closely, the kernel delivers only one.)
    lines_include(
        &of("A"),
        &[
            r"A kill\(A, SIGUSR1\) = 0",
            r"A --- SIGUSR1 \{si_signo=SIGUSR1, si_code=SI_USER, si_pid=A, si_uid=\d+\} ---",
            r"A --- SIGCHLD \{si_signo=SIGCHLD, si_code=CLD_STOPPED, si_pid=B, si_uid=\d+, si_status=SIGSTOP, .*\} ---",
            r"A \+\+\+ exited with 0 \+\+\+",
        ],
    );
    lines_include(
        &of("B"),
        &[
            r"B (kill\(B, SIGUSR2\)|<\.\.\. kill resumed>\)) = 0",
            r"B (rt_sigsuspend\(\[\], 8|<\.\.\. rt_sigsuspend resumed>)\) = \? ERESTARTNOHAND \(To be restarted if no handler\)",
            r"B --- SIGUSR2 \{si_signo=SIGUSR2, si_code=SI_USER, si_pid=B, si_uid=\d+\} ---",
            r"B --- SIGSTOP \{si_signo=SIGSTOP, si_code=SI_TKILL, si_pid=B, si_uid=\d+\} ---",
            r"B --- stopped by SIGSTOP ---",
            r"B --- SIGCONT \{si_signo=SIGCONT, si_code=SI_USER, si_pid=A, si_uid=\d+\} ---",
            // The thread killed itself within the call, so the call has no result.
            r"B (kill\(B, SIGKILL|<\.\.\. kill resumed>)\) += \?",
            r"B \+\+\+ killed by SIGKILL \+\+\+",
        ],
    );
}

#[test]
fn children_that_are_no_tracees() {
    let actor = program!("actor");
    let message = |scene: &str, quiet: &str| {
        let run = run(["-e", "trace=none", "-e", "signal=none", "-e", quiet]
            .map(AsRef::as_ref)
            .into_iter()
            .chain([actor.as_os_str(), scene.as_ref()]));
        (run.code(), run.err.replace(STRIDE, "stride"))
    };
    let (code, err) = message("give_away", "quiet=none");
    lines_are(&err, &[r"stride: Exit of unknown pid \d+ ignored", r"\+\+\+ exited with 0 \+\+\+"]);
    assert_eq!(code, Some(0));
    assert_eq!(message("give_away", "quiet=exit").1, "");
    let (code, err) = message("share", "quiet=none");
    lines_are(&err, &[r"stride: Detached unknown pid \d+", r"\+\+\+ exited with 7 \+\+\+"]);
    assert_eq!(code, Some(7));
    assert_eq!(message("share", "quiet=attach").1, "+++ exited with 7 +++\n");
    // With -f both are traced.
    for scene_name in ["give_away", "share"] {
        let lines = scene(actor, scene_name, &["-f", "-e", "trace=none", "-e", "signal=none"]);
        assert_eq!(lines.matches("+++ exited with").count(), 2, "{scene_name}: {lines}");
    }
}

/// For tests that look for lines of several threads.
#[test]
fn cut_lines_are_joined() {
    let trace = "7<a> read(3 <unfinished ...>\n[pid    8] write(1, \"x\", 1 <unfinished ...>\n7<a> <... read resumed>, \"\", 1) = 0\n > /a(f) [0x1]\n\
                 [pid    8] <... write resumed>) = 1\n7<a> +++ exited with 0 +++\n";
    let joined =
        "7<a> read(3, \"\", 1) = 0\n > /a(f) [0x1]\n[pid    8] write(1, \"x\", 1) = 1\n7<a> +++ exited with 0 +++\n";
    assert_eq!(whole(trace), joined);
    assert_eq!(whole("read(3) = 0\n"), "read(3) = 0\n");
}

// --- real programs --------------------------------------------------------------------------------------------------

#[test]
fn bash_with_pipes_and_jobs() {
    need!("/bin/bash", "/bin/cat");
    let scratch = Scratch::new("bash");
    let script = "echo one | /bin/cat; (exit 3); /bin/cat < /dev/null & wait; kill -TERM $$";
    let run = scratch.stride(["-f", "/bin/bash", "-c", script]);
    assert_eq!((run.out.as_str(), run.signal()), ("one\n", Some(15)));
    let mut ends = holds_together(&run.trace);
    ends.sort();
    assert_eq!(ends.last().unwrap(), "killed by SIGTERM");
    assert_eq!(ends.iter().filter(|e| *e == "exited with 3").count(), 1, "{ends:?}");
    assert!(ends.iter().filter(|e| *e == "exited with 0").count() >= 3, "{ends:?}");
    let trace = whole(&run.trace);
    lines_include(&trace, &[r#"\d+ execve\("/bin/cat", \["/bin/cat"\], 0x\w+ /\* \d+ vars \*/\) += 0"#]);
    lines_include(&trace, &[r#"\d+ write\(1, "one\\n", 4\) += 4"#]);
}

#[test]
fn python_with_threads_and_processes() {
    need!("/usr/bin/python3");
    let scratch = Scratch::new("python");
    let script = "import threading, subprocess, time, sys\n\
                  ts = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(5)]\n\
                  [t.start() for t in ts]; [t.join() for t in ts]\n\
                  print(subprocess.run(['sh', '-c', 'exit 9']).returncode); sys.exit(4)";
    let run = scratch.stride(["-f", "/usr/bin/python3", "-I", "-c", script]);
    assert_eq!((run.out.as_str(), run.code()), ("9\n", Some(4)), "{}", run.err);
    let ends = holds_together(&run.trace);
    assert_eq!(ends.iter().filter(|e| *e == "exited with 9").count(), 1, "{ends:?}");
    assert!(ends.len() >= 7, "main, five threads, sh: {ends:?}");
}

#[test]
fn make_and_the_compiler() {
    need!("/usr/bin/make", "/usr/bin/cc");
    let scratch = Scratch::new("make");
    std::fs::write(scratch.path("one.c"), "int one(void) { return 1; }\n").unwrap();
    std::fs::write(scratch.path("two.c"), "int one(void); int main(void) { return one() + 1; }\n").unwrap();
    std::fs::write(
        scratch.path("Makefile"),
        "two: one.o two.o\n\t/usr/bin/cc -o $@ $^\n%.o: %.c\n\t/usr/bin/cc -c $<\n",
    )
    .unwrap();
    let run = scratch.stride(["-f", "-z", "-e", "trace=execve", "-e", "signal=none", "/usr/bin/make", "-j2"]);
    assert_eq!(run.code(), Some(0), "{}", run.err);
    let ends = holds_together(&run.trace);
    assert!(ends.iter().all(|e| e == "exited with 0"), "{ends:?}");
    assert_eq!(Command::new(scratch.path("two")).status().unwrap().code(), Some(2), "what was built works");
    for program in ["make", "cc", "as", "ld"] {
        let executed = format!(r#"\d+ +execve\("[^"]*/(\w+-)*{program}", \["[^"]*".*\) += 0"#);
        assert!(run.trace.lines().any(|l| is(l, &executed)), "{program}: {}", run.trace);
    }
}

// --- side by side with strace ---------------------------------------------------------------------------------------

const STRACE: &str = "/usr/bin/strace";

/// A trace without the parts that differ between two runs of the same program.
fn comparable(trace: &str) -> Vec<String> {
    let varying = regex::Regex::new(r"0x[0-9a-f]{5,}|pipe:\[\d+\]|getpid\(\) += \d+|/\* \d+ vars \*/|(st_ino|st_atime\w*|st_mtime\w*|st_ctime\w*|si_utime|si_stime|si_pid)=[^,}]+").unwrap();
    trace.lines().map(|line| varying.replace_all(line, "…").into_owned()).collect()
}

/// Traces the program with both tools and compares line by line.
#[track_caller]
fn same_as_strace(name: &str, options: &[&str], program: &[&str]) {
    let scratch = Scratch::new(&format!("same-{name}"));
    std::fs::write(scratch.path("data"), "some text\nand more\n").unwrap();
    let [strace, stride] = ["strace", "stride"].map(|which| {
        let mut command = if which == "strace" { Command::new(STRACE) } else { stride() };
        command.arg("-o").arg(scratch.path(which)).args(options).args(program).current_dir(scratch.path("."));
        command.env("LC_ALL", "C").env("TZ", "UTC").env_remove("LD_LIBRARY_PATH").stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        (output.status, text(&output.stdout), comparable(&scratch.read(which)))
    });
    assert_eq!((stride.0, &stride.1), (strace.0, &strace.1), "{name}: status and output");
    assert!(!strace.2.is_empty());
    for (i, (ours, theirs)) in stride.2.iter().zip(&strace.2).enumerate() {
        assert_eq!(ours, theirs, "{name}: line {}", i + 1);
    }
    assert_eq!(stride.2.len(), strace.2.len(), "{name}: lines: {:?}", stride.2.last());
}

/// Calls whose output format has not changed in many years.
const STEADY: &str = "trace=execve,openat,read,write,close,access,lseek,dup2,chdir,getcwd,unlink,mprotect,munmap,getuid,getpid,exit_group";

#[test]
fn cat_as_strace_shows_it() {
    need!("/usr/bin/strace", "/bin/cat");
    same_as_strace("cat", &["-e", STEADY], &["/bin/cat", "data", "nonexistent"]);
    same_as_strace("cat-x", &["-xx", "-s", "5", "-e", STEADY], &["/bin/cat", "data"]);
    same_as_strace("cat-y", &["-y", "-e", "trace=openat,read,close"], &["/bin/cat", "data"]);
    same_as_strace("cat-raw", &["-X", "raw", "-e", "trace=openat,access"], &["/bin/cat", "data"]);
}

#[test]
fn shells_as_strace_shows_them() {
    need!("/usr/bin/strace", "/bin/sh", "/bin/bash");
    let script = "cd /; cd /nonexistent; pwd > /dev/null; read line < data; exit 3";
    same_as_strace("sh", &["-e", STEADY, "-e", "signal=none"], &["/bin/sh", "-c", &script.replace("cd /;", "")]);
    same_as_strace("sh-z", &["-z", "-e", "trace=chdir,openat,exit_group"], &["/bin/sh", "-c", script]);
    same_as_strace("sh-Z", &["-Z", "-a", "20", "-e", "trace=chdir,openat"], &["/bin/sh", "-c", script]);
    same_as_strace("sh-trap", &["-e", "trace=none"], &["/bin/sh", "-c", "trap : HUP; (exit 1); exit 2"]);
    same_as_strace(
        "bash-P",
        &["-P", "/nonexistent", "-e", "trace=chdir"],
        &["/bin/bash", "-c", "cd /; cd /nonexistent; cd /"],
    );
}

#[test]
fn python_as_strace_shows_it() {
    need!("/usr/bin/strace", "/usr/bin/python3");
    let script = "import os; os.chdir('/'); os.getcwd(); fd = os.open('/dev/null', os.O_WRONLY | os.O_APPEND); os.write(fd, bytes(range(256))); os.close(fd)";
    let program = ["/usr/bin/env", "-i", "PYTHONDONTWRITEBYTECODE=1", "/usr/bin/python3", "-I", "-S", "-c", script];
    same_as_strace(
        "python",
        &["-s", "64", "-e", "trace=openat,read,write,close,chdir,getcwd,lseek,exit_group"],
        &program,
    );
}

#[test]
fn a_pattern_stands_for_paths_and_their_descriptors() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("pattern{engine}"));
        for name in ["one.conf", "two.conf", "three.txt"] {
            std::fs::write(scratch.path(name), "x").unwrap();
        }
        let mut command = Command::new(STRIDE);
        command.arg(engine).args([
            "-P",
            scratch.path("*.conf").to_str().unwrap(),
            "-e",
            "trace=openat,read,close",
            "-o",
        ]);
        command.arg(scratch.path("trace")).arg("cat");
        command.args(["one.conf", "two.conf", "three.txt"].map(|name| scratch.path(name)));
        Run::of(command);
        let trace = scratch.read("trace");
        let count = |text: &str| trace.lines().filter(|line| line.contains(text)).count();
        assert_eq!((count("one.conf"), count("two.conf"), count("three.txt")), (1, 1, 0), "{engine}: {trace}");
        // A read that finds the byte, one that finds the end, and a close, of each file.
        assert_eq!((count("read("), count("close(")), (4, 2), "{engine}: {trace}");
    }
}

#[test]
fn a_tip_is_shown_at_the_end() {
    let mut command = Command::new(STRIDE);
    command.args(["--engine=ptrace", "-e", "trace=none", "--tips=id:2,compact", "true"]);
    let run = Run::of(command);
    assert!(run.err.contains("+++ exited with 0 +++\nTip 2: "), "{run:?}");
}
