//! The library as a stranger uses it: examples, and traces from a test.

use std::path::PathBuf;
use std::process::Command;
use stride_session::options::Engine;
use stride_session::{Ended, Trace};

/// An example. `cargo test` builds it (but not `cargo test --test trace`).
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn engines() -> Vec<Engine> {
    match stride_engine_ebpf::available() {
        Ok(()) => vec![Engine::Ptrace, Engine::Ebpf],
        Err(why) => {
            stride_test_support::skipped::report(format_args!("eBPF: {why}"));
            vec![Engine::Ptrace]
        }
    }
}

#[test]
fn calls_of_a_command_are_counted() {
    let counts = output(Command::new(example("count_calls")).args(["sh", "-c", "exec /bin/cat /dev/null"]));
    let count = |name: &str| {
        let line = counts.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
        line.map_or(0, |line| line.split_whitespace().next().unwrap().parse::<u64>().unwrap())
    };
    assert_eq!((count("execve"), count("exit_group")), (2, 1), "{counts}");
    assert!(count("read") > 0 && count("unknown") == 0, "{counts}");
}

#[test]
fn a_function_opens_no_file() {
    let message = output(&mut Command::new(example("opens_no_file")));
    let mut lines = message.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("word_length opens files: openat(AT_FDCWD"), "{message}");
    assert!(first.contains("\"/etc/hostname\""), "{message}");
    assert_eq!(lines.next(), Some("byte_sum opens no file"), "{message}");
}

#[test]
fn calls_have_names_results_and_text() {
    for engine in engines() {
        let command = ["sh", "-c", "cat /nonexistent/x 2>/dev/null; exit 3"];
        let mut trace = Trace::command(command).follow().calls("%file").unwrap().engine(engine).start().unwrap();
        let mut found = None;
        while let Some(mut call) = trace.next_call().unwrap() {
            if call.text().contains("/nonexistent/x") && call.name() == Some("openat") {
                assert_eq!(call.result(), Some(Err("ENOENT".to_owned())));
                assert!(call.duration().is_some() && call.tid() > 0);
                assert_eq!(call.decoded().args[1].name, "pathname");
                found = Some(call.text().to_owned());
            }
        }
        let line = "openat(AT_FDCWD</*>, \"/nonexistent/x\", O_RDONLY) = -1 ENOENT (No such file or directory)";
        let (before, after) = line.split_once("</*>").unwrap();
        let found = found.unwrap();
        assert!(found.starts_with(before) && found.ends_with(after), "{engine:?}: {found}");
        assert_eq!(trace.ended(), Some(Ended::Exited(3)));
        assert!(trace.lost().is_none());
    }
}

#[test]
fn a_process_is_left_running() {
    for engine in engines() {
        let mut child = Command::new("sh").args(["-c", "while :; do sleep 0.01; done"]).spawn().unwrap();
        let mut trace = Trace::attach([child.id().cast_signed()]).engine(engine).start().unwrap();
        assert!(trace.next_call().unwrap().is_some());
        trace.stop();
        while trace.next_call().unwrap().is_some() {}
        assert_eq!(child.try_wait().unwrap(), None, "{engine:?}: the process has ended");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn mistakes_are_errors() {
    let wrong = Trace::command(["true"]).calls("no_such_call").unwrap_err();
    assert!(wrong.to_string().contains("no_such_call"), "{wrong}");
    let mut limited = Trace::command(["true"]);
    limited.options_mut().syscall_limit = Some(1);
    let refused = limited.start().err().unwrap();
    assert!(refused.to_string().contains("a limit of time or calls: take Session"), "{refused}");
    let missing = Trace::command(["/nonexistent/program"]).start().err().unwrap();
    assert_eq!(missing.to_string(), "Cannot stat '/nonexistent/program': No such file or directory");
}
