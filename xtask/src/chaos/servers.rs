//! Servers of many kinds under light load, while all processes of the machine are traced again and again, in all variants. Afterwards each server
//! lives, answers right, and has what a twin has that answered as often and was not traced.
//!
//! `--attach=N` attaches N times in a round: `cargo xtask chaos --only=servers --round=0 --attach=500`.

use super::Scenario;
use super::field::{EBPF, Field, Need};
use super::process::{Proc, held, wait_for, words};
use super::server::{KINDS, Kind, Server, ServerState};
use anyhow::{Context, Result, bail, ensure};
use nix::pty::openpty;
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "servers",
    about: "servers live on, answer right, and have what untraced twins have, while --all comes and goes",
    needs: &[Need::Root, Need::Ebpf],
    share: 6,
    cases: 1,
    round,
};

/// How often Stride attaches in a round, if `--attach` does not say otherwise: each variant once.
pub const ATTACH: u64 = VARIANTS.len() as u64;

/// All processes of the machine, in each way. The output goes to the file `out`.
const VARIANTS: &[&[&str]] = &[
    &["--all", "-o", "out"],
    &["--all", "-c", "-o", "out"],
    &["--all", "--advise", "-o", "out"],
    &["--all", "-k", "-o", "out"],
    &["--all", "--json", "-o", "out"],
    &["--all", "--record=out"],
    &["--top"],
    &["--all", "--by=path", "-o", "out"],
    &["--comm=serv*", "-y", "-o", "out"],
    &["--cgroup=/", "-o", "out"],
    &["--all", "--io-uring", "-T", "-o", "out"],
    &["--all", "--html=out"],
    &["--all", "--flight=4M", "--record=out"],
    &["--exe=*e*", "-c", "--by=comm,syscall", "--every=100ms", "-o", "out"],
];
const SIGNALS: &[Signal] = &[Signal::SIGINT, Signal::SIGKILL, Signal::SIGTERM];

/// The load: every server is asked in turn, again and again.
struct Load {
    servers: Vec<Mutex<Server>>,
    /// Rounds of questions so far.
    rounds: AtomicU64,
    ends: AtomicBool,
    failure: Mutex<Option<String>>,
}

impl Load {
    fn new(field: &Field, kinds: &[&'static Kind], name: &str) -> Result<Load> {
        let start = |kind: &&'static Kind| Ok(Mutex::new(Server::start(field, kind, name)?));
        Ok(Load {
            servers: kinds.iter().map(start).collect::<Result<_>>()?,
            rounds: AtomicU64::new(0),
            ends: AtomicBool::new(false),
            failure: Mutex::new(None),
        })
    }

    fn each<T>(&self, mut see: impl FnMut(&mut Server) -> T) -> Vec<T> {
        self.servers.iter().map(|server| see(&mut server.lock().unwrap_or_else(|e| e.into_inner()))).collect()
    }

    fn ask_all(&self) -> Result<()> {
        let number = self.rounds.load(Ordering::Relaxed);
        self.each(|server| server.ask(number)).into_iter().collect::<Result<()>>()?;
        self.rounds.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn run(&self) {
        while !self.ends.load(Ordering::Relaxed) {
            if let Err(error) = self.ask_all() {
                *self.failure.lock().unwrap_or_else(|e| e.into_inner()) = Some(format!("{error:#}"));
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// All servers have answered once more.
    fn goes_on(&self) -> Result<()> {
        let before = self.rounds.load(Ordering::Relaxed);
        wait_for("all servers answer", Duration::from_secs(30), || {
            (self.rounds.load(Ordering::Relaxed) > before + 1 || self.failure().is_some()).then_some(())
        })?;
        match self.failure() {
            Some(failure) => bail!("    seen: {failure}\n    expected: every server answers as before"),
            None => Ok(()),
        }
    }

    /// Nobody is traced, stopped, changed or gone.
    fn is_well(&self, before: &[ServerState]) -> Result<()> {
        for (after, before) in self.each(well).into_iter().zip(before) {
            let (name, state) = after?;
            let (was, is) = (&before.attributes, &state.attributes);
            ensure!(was == is, "    seen: {name} has {is:?}\n    expected: {was:?}");
        }
        Ok(())
    }

    fn states(&self) -> Result<Vec<ServerState>> {
        self.each(|server| server.state().with_context(|| format!("    seen: {} is gone", server.kind.name)))
            .into_iter()
            .collect()
    }
}

fn well(server: &mut Server) -> Result<(&'static str, ServerState)> {
    let (name, pid) = (server.kind.name, server.proc.pid());
    if let Some(status) = server.proc.end(Duration::ZERO) {
        bail!("    seen: {name} ended, {}\n    expected: it lives on", words(status));
    }
    if let Some(held) = super::killed::wait_for_freedom(pid).or_else(|| held(pid)) {
        bail!("    seen: {name}: {held}\n    expected: nobody is stopped or traced");
    }
    Ok((name, server.state().with_context(|| format!("    seen: {name} is gone"))?))
}

fn round(field: &Field) -> Result<()> {
    let missing = KINDS.iter().filter_map(|kind| Some(format!("{} ({})", kind.name, kind.lacks()?)));
    let missing = missing.collect::<Vec<_>>().join(", ");
    let kinds: Vec<&Kind> = KINDS.iter().filter(|kind| kind.lacks().is_none()).collect();
    field.once("servers that are missing", || {
        if !missing.is_empty() {
            println!("servers: not there, because a program is missing: {missing}");
        }
        Ok(String::new())
    })?;
    let traced = Load::new(field, &kinds, "traced")?;
    let before = traced.states()?;
    let counts = std::thread::scope(|scope| {
        let load = scope.spawn(|| traced.run());
        let result = (0..field.attach).try_fold(Counts::default(), |counts, time| {
            traced.goes_on()?;
            let counts = attach(field, &traced, time, counts)?;
            traced.is_well(&before)?;
            Ok(counts)
        });
        let result = result.and_then(|counts| traced.goes_on().map(|()| counts));
        traced.ends.store(true, Ordering::Relaxed);
        let _ = load.join();
        result
    })?;
    let rounds = traced.rounds.load(Ordering::Relaxed);
    let twins = Load::new(field, &kinds, "twin")?;
    for _ in 0..rounds {
        twins.ask_all()?;
    }
    counts.tell(field, kinds.len(), rounds);
    compare(field, &traced, &twins)
}

/// How often Stride was attached in each way, and how it ended.
#[derive(Default)]
struct Counts {
    attached: u64,
    cut_short: u64,
    variants: [u64; VARIANTS.len()],
    signals: [u64; SIGNALS.len()],
}

impl Counts {
    fn tell(&self, field: &Field, servers: usize, rounds: u64) {
        field.figure(
            rounds as f64,
            format!("{servers} servers, {rounds} answers each, attached {} times", self.attached),
        );
        if field.attach > ATTACH {
            println!(
                "servers: {} times attached, {} ended while attaching; {rounds} answers of each of {servers} servers",
                self.attached, self.cut_short
            );
            for (variant, times) in VARIANTS.iter().zip(self.variants) {
                println!("    {times:>4} {}", variant.join(" "));
            }
            for (signal, times) in SIGNALS.iter().zip(self.signals) {
                println!("    {times:>4} {signal}");
            }
        }
    }
}

/// Traces for a moment, and ends that.
fn attach(field: &Field, load: &Load, time: u64, mut counts: Counts) -> Result<Counts> {
    let variant = time as usize % VARIANTS.len();
    let ending = (time as usize / VARIANTS.len() + variant) % SIGNALS.len();
    let (options, signal) = (VARIANTS[variant], SIGNALS[ending]);
    // Some end at any moment of the beginning.
    let early = (field.below(4) == 0).then(|| field.below(500));
    field.step(format!("{} {signal} {early:?}", options.join(" ")));
    fs::remove_file(field.path("out")).ok();
    let terminal = options.contains(&"--top").then(|| openpty(None, None)).transpose()?;
    let mut stride = match &terminal {
        Some(terminal) => {
            let mut command = field.tool(Path::new("setsid"));
            command.arg("--ctty").arg(&field.stride).arg(EBPF).args(options).env("TERM", "xterm");
            command.stdin(Stdio::from(terminal.slave.try_clone()?)).stdout(Stdio::from(terminal.slave.try_clone()?));
            Proc::begin(command)?
        }
        None => {
            let mut command = field.stride(EBPF);
            command.args(options);
            Proc::spawn(command)?
        }
    };
    let reader = terminal.map(|terminal| {
        drop(terminal.slave);
        let mut screen = fs::File::from(terminal.master);
        std::thread::spawn(move || std::io::copy(&mut screen, &mut std::io::sink()))
    });
    match early {
        Some(delay) => {
            std::thread::sleep(Duration::from_millis(delay));
            counts.cut_short += 1;
        }
        None => {
            let pid = stride.pid();
            wait_for("Stride traces", Duration::from_secs(30), || {
                (links(pid) > 2 || stride.has_ended()).then_some(())
            })?;
            ensure!(
                !stride.has_ended(),
                "    seen: Stride ended by itself: {}\n    expected: it traces",
                field.text("stderr").lines().last().unwrap_or_default()
            );
            load.goes_on()?;
        }
    }
    stride.signal(signal);
    field.ends(&mut stride, Duration::from_secs(30))?;
    if let Some(reader) = reader {
        let _ = reader.join();
    }
    counts.attached += 1;
    counts.variants[variant] += 1;
    counts.signals[ending] += 1;
    Ok(counts)
}

/// The number of places in the kernel that a process has attached programs to.
fn links(pid: i32) -> usize {
    let fds = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    fds.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.to_string_lossy().contains("bpf_link"))).count()
}

/// Compares each server with its twin. Connections of clients that have left are closed soon.
fn compare(field: &Field, traced: &Load, twins: &Load) -> Result<()> {
    let mut wrong = Vec::new();
    let tells = field.attach > ATTACH;
    if tells {
        println!("    {:<12} {:>10} {:>12} {:>20} {:>10}", "", "threads", "descriptors", "memory, KiB", "children");
    }
    for at in 0..traced.servers.len() {
        let pair = || Some((traced.states().ok()?.swap_remove(at), twins.states().ok()?.swap_remove(at)));
        let kind = traced.each(|server| server.kind)[at];
        let same = |(one, twin): &(ServerState, ServerState)| {
            one.threads.abs_diff(twin.threads) <= kind.slack
                && one.fds.abs_diff(twin.fds) <= kind.slack
                // A fork server waits for its last child when the next client comes.
                && one.children.abs_diff(twin.children) <= 1
                && one.memory <= twin.memory + twin.memory / 4 + kind.memory
        };
        let settled = wait_for("twins", Duration::from_secs(10), || pair().filter(same));
        let (one, twin) = match &settled {
            Ok(pair) => pair.clone(),
            Err(_) => pair().context("a server is gone")?,
        };
        let message = format!(
            "{:<12} {:>10} {:>12} {:>20} {:>10}",
            kind.name,
            format!("{}/{}", one.threads, twin.threads),
            format!("{}/{}", one.fds, twin.fds),
            format!("{}/{}", one.memory, twin.memory),
            format!("{}/{}", one.children, twin.children)
        );
        if tells {
            println!("    {message}");
        }
        if settled.is_err() {
            wrong.push(message);
        }
    }
    ensure!(
        wrong.is_empty(),
        "    seen (traced/twin: threads, descriptors, memory, children): {}\n    expected: as the twin that was not traced",
        wrong.join("; ")
    );
    Ok(())
}
