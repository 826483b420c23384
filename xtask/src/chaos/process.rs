//! Processes that run in groups of their own, are watched with time limits, and are never left behind.

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The pause between two looks at a state.
pub const PAUSE: Duration = Duration::from_millis(1);

pub struct Proc {
    child: Child,
    ended: Option<ExitStatus>,
    /// The most memory seen, in bytes.
    pub peak: u64,
    /// CPU time, as last seen.
    pub cpu: Duration,
}

impl Proc {
    pub fn spawn(mut command: Command) -> Result<Proc> {
        command.process_group(0);
        Proc::begin(command)
    }

    /// Starts setsid(1), which makes a session, and so a group, of its own.
    pub fn begin(mut command: Command) -> Result<Proc> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.spawn().with_context(|| format!("can't run {name}"))?;
        Ok(Proc { child, ended: None, peak: 0, cpu: Duration::ZERO })
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    pub fn signal(&self, signal: Signal) {
        if self.ended.is_none() {
            let _ = kill(Pid::from_raw(self.pid()), signal);
        }
    }

    /// The exit status, if the process ends within this time.
    pub fn end(&mut self, within: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + within;
        loop {
            if self.ended.is_none() {
                self.measure();
                self.ended = self.child.try_wait().ok().flatten();
            }
            if self.ended.is_some() || Instant::now() >= until {
                return self.ended;
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn measure(&mut self) {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let peak =
            status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        self.peak = self.peak.max(peak.unwrap_or(0) << 10);
        if let Some(stat) = Stat::of(self.pid()) {
            self.cpu = self.cpu.max(Duration::from_millis(stat.ticks * 10));
        }
    }

    pub fn has_ended(&mut self) -> bool {
        self.end(Duration::ZERO).is_some()
    }
}

impl Drop for Proc {
    fn drop(&mut self) {
        if self.ended.is_none() {
            let group = Pid::from_raw(self.pid());
            let _ = killpg(group, Signal::SIGKILL);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// An exit status in words, the same for all tools.
pub fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => {
            Signal::try_from(signal).map_or(format!("signal {signal}"), |s| format!("killed by {s}"))
        }
        (None, None) => "no end".to_owned(),
    }
}

/// The contents of /proc/PID/stat.
pub struct Stat {
    pub comm: String,
    pub state: char,
    parent: i32,
    /// CPU time in hundredths of a second.
    ticks: u64,
}

impl Stat {
    pub fn of(pid: i32) -> Option<Stat> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (head, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Stat {
            comm: head.split_once('(')?.1.to_owned(),
            state: fields.first()?.chars().next()?,
            parent: number(1)? as i32,
            ticks: number(11)? + number(12)?,
        })
    }
}

pub fn is_named(pid: i32, name: &str) -> bool {
    Stat::of(pid).is_some_and(|stat| stat.comm == name)
}

/// A process in words: name, state, where it sleeps.
pub fn what(pid: i32) -> String {
    let Some(stat) = Stat::of(pid) else { return format!("{pid} is gone") };
    let at = fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
    let at = if at.is_empty() || at == "0" { String::new() } else { format!(" in {at}") };
    format!("{} {pid}, state {}{at}", stat.comm, stat.state)
}

/// Tells whether the process is traced, or one of its threads stopped.
pub fn held(pid: i32) -> Option<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    for thread in threads.flatten() {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        let line = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim();
        let (state, tracer) = (line("State:"), line("TracerPid:"));
        if state.starts_with(['T', 't']) || !matches!(tracer, "" | "0") {
            let id = thread.file_name();
            return Some(format!("thread {} is in state {state}, its tracer is {tracer}", id.to_string_lossy()));
        }
    }
    None
}

/// All processes of the machine.
pub fn all() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// All descendants of this process, nearest first.
pub fn below(top: i32) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in all() {
        if let Some(stat) = Stat::of(pid) {
            children.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = vec![top];
    let mut at = 0;
    while at < found.len() {
        found.extend(children.remove(&found[at]).unwrap_or_default());
        at += 1;
    }
    found.remove(0);
    found
}

/// Waits until the processes of a round have ended, and describes those that are left.
pub fn left(grace: Duration) -> Vec<String> {
    let until = Instant::now() + grace;
    loop {
        reap();
        let left: Vec<String> = below(std::process::id() as i32).into_iter().map(what).collect();
        if left.is_empty() || Instant::now() >= until {
            return left;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Reaps orphans that have ended.
fn reap() {
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            break;
        }
    }
}

/// Kills all that are left, by id.
pub fn kill_all() {
    for _ in 0..50 {
        let left = below(std::process::id() as i32);
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        std::thread::sleep(PAUSE * 5);
        reap();
    }
}

/// A time limit for an idle machine, made longer if more threads want to run than there are CPUs.
pub fn patience(within: Duration) -> Duration {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let running: f64 = load.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    let cpus = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    within.mul_f64((running / cpus).clamp(1.0, 8.0))
}

/// Waits for a state instead of a time. The limit is one for an idle machine.
pub fn wait_for<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    let within = patience(within);
    let until = Instant::now() + within;
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        ensure!(
            Instant::now() < until,
            "    seen: after {} s still not: {what}\n    expected: {what}",
            within.as_secs()
        );
        std::thread::sleep(PAUSE);
    }
}

/// The rounds that a program has counted itself.
pub fn progress(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Waits until a program has finished another round: it runs, and is neither stopped nor stuck.
pub fn goes_on(file: &Path, within: Duration) -> Result<()> {
    let before = wait_for("the program goes around", within, || progress(file))?;
    wait_for("the program goes on", within, || progress(file).filter(|now| *now > before)).map(drop)
}
