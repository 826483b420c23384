//! Calls that come faster than they are read, and what the program can notice of that.

mod common;

use common::{
    Killed, PublicCopy, Run, STRIDE, Scratch, as_nobody, copy_program, need_ebpf, or_skip, program, send, skip,
    wait_until,
};
use nix::sys::signal::Signal;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const DD: &str = "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none";

fn stride(scratch: &Scratch) -> Command {
    let mut command = Command::new(STRIDE);
    command.args(["--engine=ebpf", "-f"]).current_dir(scratch.path(""));
    command
}

/// The number of calls of dd that nobody reads. Their records have more than twice the bytes of a ring of `RING`: beyond that,
/// writers are delayed.
const UNREAD: u64 = 60_000;
const RING: &str = "--ring-size=1M";

/// Runs Stride on dd. Nobody reads the output before dd has made `UNREAD` calls.
fn unread(scratch: &Scratch, options: &[&str]) -> Run {
    for left in ["pid", "read"] {
        let _ = std::fs::remove_file(scratch.path(left));
    }
    let mut command = stride(scratch);
    command.args(options).args(["-o", "|until [ -e read ]; do sleep 0.01; done; cat > trace"]);
    command.args(["sh", "-c", &format!("echo $$ > pid; exec {DD}")]);
    let mut run = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("dd to begin", || pid_in(&scratch.path("pid")).is_some());
            let dd = pid_in(&scratch.path("pid")).unwrap();
            wait_until("dd's calls", || calls_of(dd).is_none_or(|calls| calls >= UNREAD));
            std::fs::write(scratch.path("read"), "").unwrap();
        });
        Run::of(command)
    });
    run.trace = scratch.read("trace");
    run
}

/// The number of reads and writes of a process. `None` if it has ended.
fn calls_of(pid: i32) -> Option<u64> {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let made = |which| io.lines().find_map(|line: &str| line.strip_prefix(which)?.parse::<u64>().ok());
    Some(made("syscr: ")? + made("syscw: ")?)
}

fn calls_in(trace: &str) -> usize {
    trace.lines().filter(|line| line.contains('(')).count()
}

#[test]
fn a_ring_that_cannot_be_mapped_any_further() {
    need_ebpf!();
    let program = program!("short-of-maps");
    let scratch = Scratch::new("overflow-short-of-maps");
    let run = |size: &str| {
        let mut command = Command::new(&*program);
        command.args([STRIDE, "--engine=ebpf", size, "-o", "trace"]).args(DD.split(' ')).current_dir(scratch.path(""));
        Run { trace: String::new(), ..Run::of(command) }
    };
    let cut = run("--ring-size=8M");
    assert_eq!(cut.code(), Some(1), "{cut:?}");
    assert_eq!(
        cut.messages().last().copied(),
        Some(
            "the ring buffer could not be read any further, because the kernel did not map the rest of it (Cannot allocate memory), and \
             tracing has ended. What was traced runs on as if nothing had happened. A smaller ring is mapped as a whole at the start: try \
             --ring-size=1M"
        )
    );
    let trace = scratch.read("trace");
    assert!(calls_in(&trace) > 1000, "the beginning is shown: {trace}");
    // The advice helps.
    let whole = run("--ring-size=1M");
    assert_eq!(whole.code(), Some(0), "{whole:?}");
    assert!(calls_in(&scratch.read("trace")) > 200_000);
}

#[test]
fn an_output_that_is_not_read() {
    need_ebpf!();
    let scratch = Scratch::new("unread");
    let run = unread(&scratch, &[RING]);
    let calls = calls_in(&run.trace);
    assert!(calls > 200_000, "{calls}");
    let messages = run.messages();
    assert!(
        messages.len() == 1
            && messages[0].contains(" calls were delayed, ")
            && messages[0].ends_with(" s in all, so that no call was lost (see --on-overflow)"),
        "{messages:?}"
    );
    assert_eq!(unread(&scratch, &[RING, "--quiet=backpressure"]).err, "");

    let run = unread(&scratch, &["--on-overflow=drop", "--ring-size=64K"]);
    let message: usize = run
        .trace
        .lines()
        .filter_map(|line| line.split_once(" ... ")?.1.strip_suffix(" lost here"))
        .map(|n| {
            n.strip_suffix(" calls").or(n.strip_suffix(" call")).unwrap().replace(',', "").parse::<usize>().unwrap()
        })
        .sum();
    let messages = run.messages();
    let total = messages[0].strip_suffix(" calls were lost: they came faster than they could be read.");
    assert_eq!(total.unwrap().replace(',', "").parse(), Ok(message), "{messages:?}");
    assert_eq!(messages[1..], ["Try a larger --ring-size, fewer calls (-e trace=...), or --on-overflow=wait."]);
    // The number of calls of the dynamic linker may vary a little.
    assert!(
        message > 0 && (calls_in(&run.trace) + message).abs_diff(calls) < 20,
        "{} + {message}, {calls}",
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
    // The kernel counted the lost calls, too.
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
            "there is not enough memory for the ring buffer (Cannot allocate memory (os error 12))",
            "To use eBPF: give a smaller --ring-size.",
            "Or try --engine=ptrace, which needs no privileges for programs of your own."
        ]
    );
}

fn pid_in(file: &Path) -> Option<i32> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Nobody reads the trace, so dd is delayed. Stride is killed, and dd runs on.
#[test]
fn killing_stride_ends_the_delays() {
    need_ebpf!();
    let scratch = Scratch::new("killed");
    let script = format!("{DD} & echo $! > pid; wait $!; echo $? > done");
    let stride = stride(&scratch).args([RING, "--", "sh", "-c", &script]).stderr(Stdio::piped()).spawn().unwrap();
    let mut stride = Killed(stride);
    wait_until("dd to begin", || pid_in(&scratch.path("pid")).is_some());
    let dd = pid_in(&scratch.path("pid")).unwrap();
    wait_until("dd's calls", || calls_of(dd).is_none_or(|calls| calls >= UNREAD));
    assert_eq!(pid_in(&scratch.path("done")), None, "dd was not delayed");
    send(&stride, Signal::SIGKILL);
    stride.0.wait().unwrap();
    wait_until("dd's end", || pid_in(&scratch.path("done")).is_some());
    assert_eq!(pid_in(&scratch.path("done")), Some(0));
}

/// Stride as an ordinary user with two capabilities. The program tries to notice backpressure: by its waits, by its own
/// use of ptrace, and by a set-uid program that it executes.
#[test]
fn nobody_notices_backpressure() {
    need_ebpf!();
    or_skip!(as_nobody());
    let built = program!("unnoticed");
    // A directory that other users can reach.
    let public = Scratch::public("unnoticed");
    let privileged = public.path("privileged");
    copy_program(built, &privileged);
    std::fs::set_permissions(&privileged, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let program = public.path("program");
    copy_program(built, &program);
    let copy = PublicCopy::new("unnoticed-stride");
    let run = |traced: bool| {
        let mut command = as_nobody().unwrap();
        let caps = ["--inh-caps", "--ambient-caps", "--bounding-set"];
        command.args(caps.map(|option| format!("{option}=-all,+bpf,+perfmon")));
        if traced {
            command.arg(copy.stride()).args(["--engine=ebpf", "-f", "--ring-size=64K", "-o", "|cat >/dev/null"]);
        }
        command.arg(&program).arg(&privileged);
        Run::of(command)
    };
    let untraced = run(false);
    if !untraced.out.ends_with("unprivileged 0\n") {
        skip!("set-uid programs get no privileges in {}: {}", public.path("").display(), untraced.out);
    }
    let traced = run(true);
    assert_eq!((traced.out.as_str(), traced.code()), (untraced.out.as_str(), Some(0)), "{traced:?}");
    assert!(traced.err.contains(" calls were delayed, "), "{traced:?}");
}
