//! Runs the built `stride` on real programs and returns its output.
#![allow(dead_code, unused_imports, unused_macros)] // Each test uses its part.

pub mod broker;
mod commands;
mod lines;
mod other_users;
mod recorded;
pub mod script_frames;
pub mod stacks;
pub mod waits;

pub use commands::command_of;
pub use lines::{holds_together, is, lines_are, lines_include, whole, whole_lines};
pub use other_users::{PublicCopy, as_nobody};
pub use recorded::Recorded;
pub use stride_test_support::programs::{cc, cc_with_lines, root, sources, stem};
pub use stride_test_support::skipped;
pub use stride_test_support::state::{
    first_child, is_inside, kernel_version, minds, state, threads, wait_until, wait_until_inside,
};
pub use stride_test_support::{Killed, Scratch, compile, need, need_ebpf, or_skip, program, skip, test_name, wait_for};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

pub const STRIDE: &str = env!("CARGO_BIN_EXE_stride");

/// The engines, as options.
pub const ENGINES: [&str; 2] = ["--engine=ptrace", "--engine=ebpf"];

/// The available engines. A missing engine is reported.
pub fn engines() -> &'static [&'static str] {
    match stride_engine_ebpf::available() {
        Ok(()) => &ENGINES,
        Err(why) => {
            println!("skipped: {} with eBPF: {why}", test_name());
            &ENGINES[..1]
        }
    }
}

/// Stride with an environment that does not affect the output. The library path that cargo sets would show up in
/// traces.
pub fn bare_stride() -> Command {
    let mut command = Command::new(STRIDE);
    command
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env_remove("NO_COLOR")
        .env_remove("STRACE_COLORS")
        .env_remove("LD_LIBRARY_PATH");
    command
}

/// `bare_stride` with the ptrace engine.
pub fn stride() -> Command {
    let mut command = bare_stride();
    command.arg("--engine=ptrace");
    command
}

/// Runs of Stride in the directory of a test.
pub trait RunInScratch {
    /// `stride -o trace`.
    fn stride<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run;
    /// `stride --replay=rec`, without an engine.
    fn replay(&self, options: &[&str]) -> Run;
    /// Waits until the file `err` reports this many attached threads.
    fn wait_attached(&self, threads: usize);
    /// The data in `page.html`.
    fn page_data(&self) -> serde_json::Value;
}

impl RunInScratch for Scratch {
    fn stride<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        let mut command = stride();
        command.arg("-o").arg(self.path("trace")).args(args).current_dir(self.path(""));
        let mut run = Run::of(command);
        run.trace = std::fs::read(self.path("trace")).map(|t| text(&t)).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        run
    }

    fn replay(&self, options: &[&str]) -> Run {
        let mut command = bare_stride();
        command.arg("--replay=rec").args(options).current_dir(self.path(""));
        Run::of(command)
    }

    #[track_caller]
    fn wait_attached(&self, threads: usize) {
        wait_until("being attached", || self.read("err").matches(" attached\n").count() >= threads);
    }

    fn page_data(&self) -> serde_json::Value {
        let page = self.read("page.html");
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    }
}

/// The output of a run of Stride, and its status.
#[derive(Debug)]
pub struct Run {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
    /// The content of the file of `-o`.
    pub trace: String,
}

/// A safety net, so that a hanging test fails. A run that takes seconds on an idle machine may take minutes on a busy
/// one.
const RUN_LIMIT: Duration = Duration::from_secs(300);

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
        // A hanging test fails and leaves no process behind.
        let watch = std::thread::spawn(move || {
            let hangs = waiting.recv_timeout(RUN_LIMIT) == Err(RecvTimeoutError::Timeout);
            if hangs {
                let _ = killpg(group, Signal::SIGKILL);
            }
            hangs
        });
        let output = child.wait_with_output().unwrap();
        drop(done);
        let hangs = watch.join().unwrap();
        assert!(!hangs, "{command:?} was killed: it had not ended after {RUN_LIMIT:?}");
        Run { status: output.status, out: text(&output.stdout), err: text(&output.stderr), trace: String::new() }
    }

    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// The messages without the program's name, which each message must have.
    pub fn messages(&self) -> Vec<&str> {
        let prefix = format!("{STRIDE}: ");
        self.err.lines().map(|l| l.strip_prefix(&prefix).unwrap_or_else(|| panic!("no name: {l:?}"))).collect()
    }
}

/// Runs Stride with its trace on stderr.
pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let mut command = stride();
    command.args(args);
    Run::of(command)
}

/// The message about options that Stride refuses before it runs anything.
pub fn refused(scratch: &Scratch, args: &[&str]) -> String {
    let mut command = stride();
    command.args(args).args(["sh", "-c", "echo ran"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.out.as_str()), (Some(1), ""), "{run:?}");
    run.messages().join("\n")
}

/// A scene of `actor.c`, untraced, that has printed `ready`.
pub fn ready(actor: &Path, scene: &str) -> Killed {
    let mut actor = Killed(Command::new(actor).arg(scene).stdout(Stdio::piped()).spawn().unwrap());
    let mut said = [0; 6];
    actor.0.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    assert_eq!(&said, b"ready\n");
    actor
}

#[track_caller]
pub fn send(to: &Killed, signal: Signal) {
    kill(Pid::from_raw(to.tid()), signal).unwrap();
}

/// Copies a program that will be executed. Another process writes the copy, because a child that another thread forks
/// meanwhile keeps this process's files open until its execve, and a file that is open for writing cannot be executed.
pub fn copy_program(from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) {
    assert!(Command::new("cp").arg("--").arg(from).arg(to).status().is_ok_and(|status| status.success()));
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn is_root() -> bool {
    nix::unistd::getuid().is_root()
}
