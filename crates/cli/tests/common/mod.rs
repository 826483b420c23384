//! Runs the built `stride` over real programs and hands back what it wrote.
#![allow(dead_code)]

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// A directory of this test's own, empty.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn read(&self, name: &str) -> String {
        text(&std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}")))
    }

    /// `stride -o trace`, to be run here.
    pub fn stride<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        let mut command = stride();
        command.arg("-o").arg(self.path("trace")).args(args).current_dir(&self.0);
        let mut run = Run::of(command);
        run.trace = std::fs::read(self.path("trace")).map(|t| text(&t)).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        run
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// What a run of Stride has written, and how it ended.
#[derive(Debug)]
pub struct Run {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
    /// What went to the file of `-o`.
    pub trace: String,
}

/// A safety net, so that a test that hangs fails. A run that takes seconds on an idle machine may take minutes on a busy one.
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// The same, for a state that a test waits for.
const STATE_LIMIT: Duration = Duration::from_secs(60);

impl Run {
    pub fn of(mut command: Command) -> Run {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Pid::from_raw(child.id() as i32);
        let (done, waiting) = std::sync::mpsc::channel::<()>();
        // A test that hangs fails, and leaves nothing behind.
        let watch = std::thread::spawn(move || {
            if waiting.recv_timeout(RUN_LIMIT) == Err(RecvTimeoutError::Timeout) {
                let _ = nix::sys::signal::killpg(group, Signal::SIGKILL);
            }
        });
        let output = child.wait_with_output().unwrap();
        drop(done);
        watch.join().unwrap();
        Run { status: output.status, out: text(&output.stdout), err: text(&output.stderr), trace: String::new() }
    }

    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// Messages without the name of the program, which each must have.
    pub fn messages(&self) -> Vec<&str> {
        let prefix = format!("{STRIDE}: ");
        self.err.lines().map(|l| l.strip_prefix(&prefix).unwrap_or_else(|| panic!("no name: {l:?}"))).collect()
    }
}

pub const STRIDE: &str = env!("CARGO_BIN_EXE_stride");

/// The engines, as options.
pub const ENGINES: [&str; 2] = ["--engine=ptrace", "--engine=ebpf"];

/// Those that can be had. Where that is not all, it is said.
pub fn engines() -> &'static [&'static str] {
    match stride_engine_ebpf::available() {
        Ok(()) => &ENGINES,
        Err(why) => {
            println!("skipped: {} with eBPF: {why}", test_name());
            &ENGINES[..1]
        }
    }
}

/// Stride with the ptrace engine and an environment that has no say in the output.
pub fn stride() -> Command {
    let mut command = Command::new(STRIDE);
    command
        .arg("--engine=ptrace")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env_remove("NO_COLOR")
        .env_remove("STRACE_COLORS");
    command
}

/// Runs Stride with its trace on stderr.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let mut command = stride();
    command.args(args);
    Run::of(command)
}

/// What Stride says of options that it refuses before it runs anything.
pub fn refused(scratch: &Scratch, args: &[&str]) -> String {
    let mut command = stride();
    command.args(args).args(["sh", "-c", "echo ran"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    run.messages().join("\n")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether the lines are exactly these, each a regular expression.
#[track_caller]
pub fn lines_are(trace: &str, patterns: &[&str]) {
    let lines: Vec<&str> = trace.lines().collect();
    for (i, pattern) in patterns.iter().enumerate() {
        let line = lines.get(i).unwrap_or_else(|| panic!("no line {}: {pattern}\n{trace}", i + 1));
        assert!(is(line, pattern), "line {}: {line}\n     is not {pattern}\n{trace}", i + 1);
    }
    assert_eq!(lines.len(), patterns.len(), "more lines than expected:\n{trace}");
}

/// Whether there are lines like these, in this order, others between them or not.
#[track_caller]
pub fn lines_include(trace: &str, patterns: &[&str]) {
    let mut lines = trace.lines();
    for pattern in patterns {
        assert!(lines.any(|line| is(line, pattern)), "no line is {pattern}\nin this place:\n{trace}");
    }
}

/// Whether the whole line is described by the regular expression.
pub fn is(line: &str, pattern: &str) -> bool {
    Regex::new(&format!("^(?:{pattern})$")).unwrap_or_else(|e| panic!("{pattern}: {e}")).is_match(line)
}

/// Whether a trace of `-f -o` holds together: every line is a call, part of one, or about a thread; what is resumed was begun; every
/// process and thread ends, and once. The statuses processes ended with.
#[track_caller]
pub fn holds_together(trace: &str) -> Vec<String> {
    let line = Regex::new(
        r"^(\d+) +(?:(?P<call>\w+)\(.*(?: = .*|(?P<cut> <unfinished \.\.\.>))|<\.\.\. (?P<resumed>\w+) resumed>.*(?: = .*)|--- .* ---|\+\+\+ (?P<end>.*) \+\+\+)$",
    );
    let line = line.unwrap();
    let mut pending: HashMap<&str, &str> = HashMap::new();
    let mut ended: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for text in trace.lines() {
        let Some(parts) = line.captures(text) else { panic!("what is this? {text}") };
        let id = parts.get(1).unwrap().as_str();
        seen.insert(id);
        let part = |name| parts.name(name).map(|m| m.as_str());
        assert!(!ended.contains_key(id), "{id} goes on after its end: {text}");
        if let Some(end) = part("end") {
            ended.insert(id, end);
            pending.remove(id);
        } else if let Some(resumed) = part("resumed") {
            assert_eq!(pending.remove(id), Some(resumed), "{text}");
        } else if let Some(call) = part("call") {
            assert!(!pending.contains_key(id), "a call within {}: {text}", pending[id]);
            if part("cut").is_some() {
                pending.insert(id, call);
            }
        }
    }
    assert!(pending.is_empty(), "begun and never ended: {pending:?}");
    assert_eq!(seen.len(), ended.len(), "not all have ended: {seen:?} {ended:?}");
    ended.into_values().map(str::to_owned).collect()
}

/// Looks again and again until there is something; what it waits for usually takes milliseconds.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    while start.elapsed() < STATE_LIMIT {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("waited in vain for {what}");
}

/// A child that does not outlive the test.
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The compiled `actor.c`, or `None` where there is no C compiler.
pub fn actor() -> Option<&'static Path> {
    static ACTOR: LazyLock<Option<PathBuf>> = LazyLock::new(|| compiled("actor"));
    ACTOR.as_deref()
}

/// A C program of this directory, compiled, or `None` where there is no C compiler.
pub fn compiled(name: &str) -> Option<PathBuf> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let source = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/{}.c"), name);
    let cc = Command::new("cc").args(["-O1", "-w", "-pthread", "-o"]).arg(&out).arg(source).status();
    cc.is_ok_and(|status| status.success()).then_some(out)
}

pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0)
}

/// Tests run in threads of their names.
pub fn test_name() -> String {
    std::thread::current().name().unwrap_or("?").to_owned()
}

/// Leaves the test, saying so.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        println!("skipped: {}: {}", $crate::common::test_name(), format_args!($($why)*));
        return;
    }};
}

/// Leaves the test where the eBPF engine can't run.
#[macro_export]
macro_rules! need_ebpf {
    () => {
        if let Err(why) = stride_engine_ebpf::available() {
            $crate::skip!("{why}");
        }
    };
}

#[macro_export]
macro_rules! actor {
    () => {
        match common::actor() {
            Some(path) => path,
            None => $crate::skip!("no C compiler (cc)"),
        }
    };
}

/// Leaves the test if a program is not there.
#[macro_export]
macro_rules! need {
    ($($program:literal),*) => {
        $(if !std::path::Path::new($program).exists() {
            $crate::skip!("no {}", $program);
        })*
    };
}
