//! Runs a case and its corrected twin under `--advise`.

use crate::case::Case;
use crate::common::{Killed, Scratch, command_of, send, text};
use crate::verdict::{Cost, Verdict};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A wait counts as hanging after a second.
const HUNG: Duration = Duration::from_millis(1500);
/// A case that takes longer fails the test. Cases take a second or two.
const LIMIT: Duration = Duration::from_secs(120);

/// Stride with an environment that does not affect the output. `STRIDE_OTHER` names another build, to compare with.
fn bare_stride() -> Command {
    let Some(other) = std::env::var_os("STRIDE_OTHER") else { return crate::common::bare_stride() };
    let mut command = Command::new(other);
    command.env("LC_ALL", "C").env("TZ", "UTC").env_remove("LD_LIBRARY_PATH");
    command
}

pub fn run_case(case: &Case) -> Result<Verdict, String> {
    let scratch = Scratch::new(&format!("cases-{}", case.name.replace('/', "-")));
    let program = command_of(&case.source, &scratch)?;
    let run = Runner { case, program: &program, scratch: &scratch };
    let (findings, calls) = run.advised(false);
    if case.hangs {
        let (corrected, _) = run.advised(true);
        return Ok(Verdict::of(case, &findings, &corrected, Cost::default(), Cost::default()));
    }
    let (corrected, less_calls) = run.advised(true);
    let (time, less_time) = (run.untraced(false), run.untraced(true));
    let (before, after) = (Cost { calls, time }, Cost { calls: less_calls, time: less_time });
    Ok(Verdict::of(case, &findings, &corrected, before, after))
}

struct Runner<'a> {
    case: &'a Case,
    program: &'a [String],
    scratch: &'a Scratch,
}

impl Runner<'_> {
    /// The findings, and the number of calls.
    fn advised(&self, corrected: bool) -> (Vec<Value>, u64) {
        let _peer = self.prepared();
        let mut stride = bare_stride();
        // Ctrl-C ends the tracing of a case that hangs, although a file is written.
        stride.args(["-f", "-Iwaiting", "--record=../recording"]).args(self.program);
        self.finish(stride, corrected);
        let advice = self.replayed(&["--advise", "--json"]);
        let findings = advice.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let findings = findings.filter(|line| line["type"] == "finding").collect();
        let counted = self.replayed(&["-c", "-w", "-U", "calls,name"]);
        let total = counted.lines().rev().find_map(|line| line.trim().strip_suffix(" total"));
        (findings, total.and_then(|total| total.trim().parse().ok()).expect("a total"))
    }

    fn replayed(&self, options: &[&str]) -> String {
        let mut stride = bare_stride();
        let output =
            stride.arg("--replay=recording").args(options).current_dir(self.scratch.path("")).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", self.case.name);
        text(&output.stdout)
    }

    /// The wall time of the program by itself.
    fn untraced(&self, corrected: bool) -> Duration {
        let _peer = self.prepared();
        let mut program = Command::new(&self.program[0]);
        program.args(&self.program[1..]);
        let start = Instant::now();
        self.finish(program, corrected);
        start.elapsed()
    }

    /// An empty directory, with the peer that the program talks to.
    fn prepared(&self) -> Option<Killed> {
        let _ = std::fs::remove_dir_all(self.scratch.path("here"));
        std::fs::create_dir(self.scratch.path("here")).unwrap();
        let argument = self.case.peer.as_ref()?;
        let mut peer = Command::new(&self.program[0]);
        peer.args(&self.program[1..]).arg(argument);
        let peer = Killed(self.here(&mut peer).spawn().unwrap());
        crate::common::wait_until("the peer", || self.scratch.path("here/peer.ready").exists());
        Some(peer)
    }

    fn here<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(self.scratch.path("here"))
            .env_remove("LD_LIBRARY_PATH")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
    }

    fn finish(&self, mut command: Command, corrected: bool) {
        command.args(corrected.then_some("corrected")).process_group(0);
        let mut child = Killed(self.here(&mut command).spawn().unwrap());
        if self.case.hangs && !corrected {
            crate::common::wait_until("the hang", || self.scratch.path("here/stuck").exists());
            // The rule is about threads that wait for a second.
            std::thread::sleep(HUNG);
            // Stride detaches, and waits for the program or not. What the program started hangs on.
            let program = below(child.tid());
            send(&child, Signal::SIGINT);
            ends(&mut child.0, HUNG);
            all_killed(program);
        }
        if !ends(&mut child.0, LIMIT) {
            all_killed(below(child.tid()));
            panic!("{}: the program did not end", self.case.name);
        }
    }
}

/// The processes that a process started, and those that these started.
fn below(process: i32) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").into_iter().flatten();
    let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let parents: Vec<(i32, i32)> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = vec![process];
    for at in 0.. {
        let Some(&above) = found.get(at) else { break };
        found.extend(parents.iter().filter(|(_, parent)| *parent == above).map(|(pid, _)| pid));
    }
    found.split_off(1)
}

fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may have some of its own.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn all_killed(processes: Vec<i32>) {
    processes.into_iter().for_each(|pid| {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    });
}

fn ends(child: &mut Child, limit: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < limit {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}
