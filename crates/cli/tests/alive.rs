//! The states of threads while no call returns: calls that last, stops, modes; and calls that end without returning.
//! The eBPF engine detects these in its own ways, so its trace is compared with the ptrace engine's. Tests wait for
//! states, not for time to pass.

mod common;

use common::*;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

/// A running Stride that writes a trace.
struct Tracing {
    stride: Killed,
    scratch: Scratch,
    input: Option<ChildStdin>,
}

impl Tracing {
    fn start(engine: &str, name: &str, args: &[&str]) -> Tracing {
        let scratch = Scratch::new(&format!("alive-{name}{engine}"));
        std::fs::write(scratch.path("trace"), "").unwrap();
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-a1", "-o"]).arg(scratch.path("trace")).args(args);
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // An orphaned process group ignores the terminal's stops, because nobody would continue it. The test's own
        // group may be orphaned (under setsid, or when the session's leader is gone). This group is not, because the
        // test is outside it.
        command.process_group(0);
        let mut stride = Killed(command.spawn().unwrap());
        let input = stride.0.stdin.take();
        Tracing { stride, scratch, input }
    }

    fn text(&self) -> String {
        self.scratch.read("trace")
    }

    /// Waits until the trace contains this many of these.
    #[track_caller]
    fn wait_for(&self, what: &str, count: usize) {
        wait_for(&format!("{count} times {what}"), || (self.text().matches(what).count() >= count).then_some(()));
    }

    fn feed(&mut self) {
        // The tracee may read the byte and end before `write_all` returns.
        let _ = self.input.take().unwrap().write_all(b"x");
    }

    /// The thread of the first line.
    fn first(&self) -> Pid {
        let text = self.text();
        Pid::from_raw(text.split(' ').next().unwrap().parse().unwrap())
    }

    /// The trace, once Stride has ended.
    fn end(mut self) -> String {
        drop(self.input.take());
        self.stride.0.wait().unwrap();
        self.text()
    }
}

/// Each thread's whole lines. Threads are named in the order of their first lines.
fn by_thread(trace: &str) -> BTreeMap<String, Vec<String>> {
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut threads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let lines = whole_lines(trace);
    for (id, _) in &lines {
        let next = format!("T{}", names.len());
        names.entry(id).or_insert(next);
    }
    // Only in places of ids, because other numbers may have the same value.
    let id_within = regex::Regex::new(r"(si_pid=|PID=|\bpid |tid=\[|\) += )(\d+)\b").unwrap();
    for (id, line) in &lines {
        let line = id_within.replace_all(line, |found: &regex::Captures<'_>| {
            let name = names.get(&found[2]).map_or(&found[2], String::as_str);
            format!("{}{name}", &found[1])
        });
        threads.entry(names[id].clone()).or_default().push(line.into_owned());
    }
    threads
}

fn path(program: &Path) -> &str {
    program.to_str().unwrap()
}

#[test]
fn calls_that_last_are_shown_while_they_do() {
    need_ebpf!();
    let actor = path(program!("actor"));
    let [ptrace, ebpf] = ENGINES.map(|engine| {
        let mut tracing = Tracing::start(engine, "input", &["-e", "trace=/^(read|write)$", actor, "wait_for_input"]);
        tracing.wait_for("read(0", 1);
        // The other read is the dynamic loader's.
        tracing.wait_for("read(", 3);
        tracing.feed();
        tracing.end()
    });
    assert_eq!(holds_together(&ebpf), ["exited with 0"; 2]);
    assert_eq!(by_thread(&ebpf), by_thread(&ptrace), "{ebpf}\n{ptrace}");
    lines_include(&ebpf, &[r#"\d+ +<\.\.\. read resumed>, "x", 1\) = 1"#]);
}

#[test]
fn what_filters_leave_out_is_not_shown_while_it_lasts_either() {
    need_ebpf!();
    let actor = path(program!("actor"));
    for filter in [["-e", "trace=write"], ["-e", "status=successful"], ["-P", "/dev/null"], ["-e", "trace-fds=7"]] {
        let mut tracing = Tracing::start(ENGINES[1], "filters", &[&filter[..], &[actor, "wait_for_input"]].concat());
        // Waits until another trace of the same program shows its call, so that the poller had time to find this one.
        let mut witness = Tracing::start(ENGINES[1], "witness", &["-e", "trace=read", actor, "wait_for_input"]);
        witness.wait_for("read(0", 1);
        witness.wait_for("read(", 3);
        witness.feed();
        witness.end();
        tracing.feed();
        let text = tracing.end();
        assert!(!text.contains("unfinished") && !text.contains("resumed"), "{filter:?}: {text}");
        assert_eq!(holds_together(&text), ["exited with 0"; 2], "{filter:?}");
    }
}

#[test]
fn calls_that_began_before_are_shown_at_once() {
    need_ebpf!();
    let actor = program!("actor");
    for engine in ENGINES {
        let child = ready(actor, "sit_together");
        wait_until("all threads are in their calls", || {
            let threads = threads(child.tid());
            threads.len() == 3 && threads.iter().all(|tid| is_inside(*tid, libc::SYS_pause))
        });
        let pid = child.0.id();
        let tracing = Tracing::start(engine, "began", &["-p", &pid.to_string()]);
        tracing.wait_for("pause(", 3);
        send(&child, Signal::SIGKILL);
        let text = tracing.end();
        let threads = by_thread(&text);
        assert_eq!(threads.len(), 3, "{text}");
        for lines in threads.values() {
            lines_are(
                &lines.join("\n"),
                &[r"pause\(( <unfinished \.\.\.>)?\) = \?", r"\+\+\+ killed by SIGKILL \+\+\+"],
            );
        }
    }
}

#[test]
fn every_thread_of_a_process_stops() {
    need_ebpf!();
    let actor = path(program!("actor"));
    for signal in [Signal::SIGSTOP, Signal::SIGTSTP] {
        let [ptrace, ebpf] = ENGINES.map(|engine| {
            let tracing = Tracing::start(engine, "stops", &["-e", "trace=pause", actor, "sit_together"]);
            tracing.wait_for("pause(", 3);
            // In the order in which the threads entered their calls.
            let text = tracing.text();
            let mut ids: Vec<i32> = text.lines().map(|l| l.split(' ').next().unwrap().parse().unwrap()).collect();
            ids.sort();
            let pid = Pid::from_raw(ids[0]);
            kill(pid, signal).unwrap();
            tracing.wait_for("--- stopped by ", 3);
            kill(pid, Signal::SIGCONT).unwrap();
            tracing.wait_for("pause(", 6);
            kill(pid, Signal::SIGKILL).unwrap();
            let text = tracing.end();
            assert_eq!(text.matches(" --- SIGCONT {").count(), 1, "{text}");
            assert_eq!(text.matches(&format!(" --- {signal} {{")).count(), 1, "{text}");
            assert_eq!(text.matches(&format!(" --- stopped by {signal} ---")).count(), 3, "{text}");
            assert_eq!(holds_together(&text), ["killed by SIGKILL"; 3]);
            // The kernel chooses which thread takes a signal that is sent to the process.
            let mut threads: Vec<Vec<String>> = by_thread(&text).into_values().collect();
            for lines in &mut threads {
                lines.retain(|line| !line.starts_with("--- SIG"));
            }
            threads.sort();
            threads
        });
        assert_eq!(ebpf, ptrace);
    }
}

#[test]
fn a_call_that_is_resumed_tells_which() {
    need_ebpf!();
    let actor = path(program!("actor"));
    let [ptrace, ebpf] = ENGINES.map(|engine| {
        let tracing = Tracing::start(engine, "resumed", &["-e", "trace=/nanosleep|restart", actor, "sleep_on"]);
        tracing.wait_for("nanosleep(", 1);
        let pid = tracing.first();
        for stops in 1..=2 {
            kill(pid, Signal::SIGSTOP).unwrap();
            tracing.wait_for("--- stopped by SIGSTOP ---", stops);
            kill(pid, Signal::SIGCONT).unwrap();
            tracing.wait_for("restart_syscall(", stops);
        }
        kill(pid, Signal::SIGKILL).unwrap();
        tracing.end()
    });
    lines_include(&ebpf, &[r"\d+ +restart_syscall\(<\.\.\. resuming interrupted (clock_)?nanosleep \.\.\.>\) = .*"]);
    assert_eq!(by_thread(&ebpf), by_thread(&ptrace), "{ebpf}\n{ptrace}");
}

#[test]
fn execve_from_another_thread_ends_a_call_that_is_shown() {
    need_ebpf!();
    let actor = path(program!("actor"));
    let trace = "trace=execve,/nanosleep";
    let mut tracing = Tracing::start(ENGINES[1], "exec", &["-e", trace, actor, "exec_when_told"]);
    tracing.wait_for("nanosleep(", 1);
    tracing.feed();
    let text = tracing.end();
    lines_are(
        &text,
        &[
            r#"\d+ +execve\(".*", \[".*"(?:\.\.\.)?, "exec_when_told"\], 0x\w+ /\* \d+ vars \*/\) = 0"#,
            r"\d+ +(clock_)?nanosleep\((CLOCK_REALTIME, 0, )?\{tv_sec=100, tv_nsec=0\} <unfinished \.\.\.>",
            r#"\d+ +execve\(".*", \[".*"(?:\.\.\.)?, "nothing"\], NULL <unfinished \.\.\.>"#,
            r"\d+ +<\.\.\. (clock_)?nanosleep resumed> <unfinished \.\.\.>\) = \?",
            r"\d+ +\+\+\+ superseded by execve in pid \d+ \+\+\+",
            r"\d+ +<\.\.\. execve resumed>\) = 0",
            r"\d+ +\+\+\+ exited with 0 \+\+\+",
        ],
    );
}

#[test]
fn changes_of_mode_are_told() {
    need_ebpf!();
    let actor = path(program!("actor"));
    let [ptrace, ebpf] = ENGINES.map(|engine| {
        let args = ["-f", "-a1", "-e", "quiet=attach", "-e", "trace=close,clone", "-e", "signal=none"];
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-o", "/dev/stdout"]).args(args).args([actor, "two_modes"]);
        let run = Run::of(command);
        (run.code(), by_thread(&run.out))
    });
    if ptrace.0 == Some(77) {
        skip!("the kernel takes no 32-bit calls");
    }
    assert_eq!(ebpf, ptrace);
    let times =
        |bits| ptrace.1.values().flatten().filter(|l| l.ends_with(&format!(" runs in {bits} bit mode. ]"))).count();
    assert_eq!((times(32), times(64)), (2, 2), "{ptrace:?}");
}

#[test]
fn an_ignored_signal_between_calls() {
    need_ebpf!();
    let actor = path(program!("actor"));
    for trace in ["trace=close", "trace=all"] {
        for engine in ENGINES {
            let text = Tracing::start(engine, "ignored", &["-e", trace, actor, "ignored_alarm"]).end();
            let end: Vec<&str> = text.lines().skip_while(|l| !l.contains("SIGALRM {")).take(3).collect();
            lines_are(
                &end.join("\n"),
                &[
                    r"\d+ +--- SIGALRM \{si_signo=SIGALRM, si_code=SI_KERNEL\} ---",
                    r"\d+ +close\(-1\) = -1 EBADF \(Bad file descriptor\)",
                    r"\d+ +close\(-2\) = -1 EBADF \(Bad file descriptor\)",
                ],
            );
        }
    }
}

#[test]
fn a_process_ends_with_its_last_thread() {
    need_ebpf!();
    let actor = path(program!("actor"));
    for engine in ENGINES {
        let options = ["-e", "trace=exit,exit_group", "-e", "signal=none"];
        let text = Tracing::start(engine, "first", &[&options[..], &[actor, "first_goes_first"]].concat()).end();
        // Another thread's line may cut a line in two, depending on the scheduler.
        let lines = whole_lines(&text);
        let ends: Vec<(&str, &str)> =
            lines.iter().filter(|(_, line)| line.starts_with("+++")).map(|(id, end)| (*id, end.as_str())).collect();
        // Each first thread ends first and is reported last, with the status of the process's last thread. The other
        // threads of the parent and the child may end in any order.
        let of_child: Vec<&str> = ends.iter().filter(|e| e.1 == "+++ exited with 3 +++").map(|e| e.0).collect();
        assert_eq!((ends.len(), of_child.len()), (4, 2), "{text}");
        let (first, end) = *ends.last().unwrap();
        assert_eq!(end, "+++ exited with 0 +++", "{text}");
        let other = ends.iter().find(|(id, _)| *id != first && !of_child.contains(id)).unwrap();
        assert_eq!(other.1, "+++ exited with 0 +++", "{text}");
        for (id, call) in
            [(of_child[1], "exit(42)"), (of_child[0], "exit_group(3)"), (first, "exit(42)"), (other.0, "exit(0)")]
        {
            let calls: Vec<&String> = lines.iter().filter(|(of, _)| *of == id).map(|(_, line)| line).take(2).collect();
            assert_eq!((calls.len(), calls[0].as_str()), (2, format!("{call} = ?").as_str()), "{text}");
        }
    }
}

/// The program waits until it is reaped.
#[test]
fn a_child_that_its_maker_gives_away_is_reaped() {
    need_ebpf!();
    let actor = path(program!("actor"));
    for engine in ENGINES {
        let run = |follow: &[&str]| {
            let mut command = Command::new(STRIDE);
            command.arg(engine).args(["-e", "trace=none"]).args(follow).args([actor, "give_away"]);
            Run::of(command)
        };
        let alone = run(&[]);
        assert_eq!(alone.code(), Some(0), "{engine}: {alone:?}");
        lines_are(
            &alone.err,
            &[&format!(r"{STRIDE}: Exit of unknown pid \d+ ignored"), r"\+\+\+ exited with 0 \+\+\+"],
        );
        let followed = run(&["-f"]);
        assert_eq!(followed.code(), Some(0), "{engine}: {followed:?}");
        assert_eq!(followed.err.matches("+++ exited with 0 +++").count(), 2, "{}", followed.err);
    }
}
