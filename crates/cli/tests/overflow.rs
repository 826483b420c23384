//! Calls that come faster than they are read, and what becomes of held processes when Stride is killed.

mod common;

use common::{Run, STRIDE, Scratch};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DD: &str = "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none";

fn stride(scratch: &Scratch) -> Command {
    let mut command = Command::new(STRIDE);
    command.args(["--engine=ebpf", "-f"]).current_dir(scratch.path(""));
    command
}

/// Runs Stride over dd with an output that nobody reads for a moment.
fn unread(scratch: &Scratch, options: &[&str]) -> Run {
    let mut command = stride(scratch);
    command.args(options).args(["-o", "|sleep 0.5; cat > trace"]).args(DD.split(' '));
    let mut run = Run::of(command);
    run.trace = scratch.read("trace");
    run
}

fn calls_in(trace: &str) -> usize {
    trace.lines().filter(|line| line.contains('(')).count()
}

#[test]
fn an_output_that_is_not_read() {
    need_ebpf!();
    let scratch = Scratch::new("unread");
    let run = unread(&scratch, &[]);
    let calls = calls_in(&run.trace);
    assert!(calls > 200_000, "{calls}");
    let messages = run.messages();
    assert!(
        messages.len() == 1
            && messages[0].starts_with("tracees were held ")
            && messages[0].ends_with(" s in all, so that no call was lost (see --on-overflow)"),
        "{messages:?}"
    );
    assert_eq!(unread(&scratch, &["--quiet=held"]).err, "");

    let run = unread(&scratch, &["--on-overflow=drop", "--ring-size=64K"]);
    let told: usize = run
        .trace
        .lines()
        .filter_map(|line| line.split_once(" ... ")?.1.strip_suffix(" lost here"))
        .map(|n| {
            n.strip_suffix(" calls").or(n.strip_suffix(" call")).unwrap().replace(',', "").parse::<usize>().unwrap()
        })
        .sum();
    let messages = run.messages();
    let total = messages[0].strip_suffix(" calls were lost: they came faster than they could be read.");
    assert_eq!(total.unwrap().replace(',', "").parse(), Ok(told), "{messages:?}");
    assert_eq!(messages[1..], ["Try a larger --ring-size, fewer calls (-e trace=...), or --on-overflow=wait."]);
    // How many calls the dynamic linker makes may differ by few.
    assert!(
        told > 0 && (calls_in(&run.trace) + told).abs_diff(calls) < 20,
        "{} + {told}, {calls}",
        calls_in(&run.trace)
    );
}

#[test]
fn a_summary_says_what_it_counts() {
    need_ebpf!();
    let scratch = Scratch::new("summary");
    let run = unread(&scratch, &["-C", "--on-overflow=drop", "--ring-size=64K"]);
    let mut lines = run.trace.lines().rev();
    let (lost, total) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(lost.starts_with("... ") && lost.ends_with(" calls lost, but counted here"), "{lost}");
    // The kernel counted those, too.
    assert!(total.split_whitespace().nth(3).unwrap().parse::<u64>().unwrap() > 200_000, "{total}");
}

#[test]
fn a_ring_that_cannot_be_had() {
    need_ebpf!();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v 130000; exec {STRIDE} --engine=ebpf --ring-size=64M true")]);
    let run = Run::of(command);
    assert_eq!(run.code(), Some(1));
    assert_eq!(
        run.messages(),
        [
            "there is no memory for calls that are not read yet (Cannot allocate memory (os error 12))",
            "What helps: a smaller --ring-size.",
            "Or try --engine=ptrace, which needs no privileges for programs of your own."
        ]
    );
}

/// A process that is killed when dropped.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The letter behind `State:`.
fn state(pid: i32) -> Option<char> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("State:"))?.trim().chars().next()
}

fn pid_in(file: &Path) -> Option<i32> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Nothing reads the trace: dd is held, and stays so, until Stride is killed.
#[test]
fn killing_stride_lets_go_of_who_is_held() {
    need_ebpf!();
    let scratch = Scratch::new("killed");
    let script = format!("{DD} & echo $! > pid; wait $!; echo $? > done");
    let stride = stride(&scratch).args(["--", "sh", "-c", &script]).stderr(Stdio::piped()).spawn().unwrap();
    let mut stride = Guarded(stride);
    wait_until("dd is not held", || pid_in(&scratch.path("pid")).is_some_and(|pid| state(pid) == Some('t')));
    kill(Pid::from_raw(stride.0.id() as i32), Signal::SIGKILL).unwrap();
    stride.0.wait().unwrap();
    wait_until("dd does not end", || pid_in(&scratch.path("done")).is_some());
    assert_eq!(pid_in(&scratch.path("done")), Some(0));
}
