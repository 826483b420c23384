//! An agent with a directory of its own.
#![allow(dead_code, unused_imports)] // Each test uses its part.

pub use serde_json::Value;
pub use std::fs;
pub use std::path::{Path, PathBuf};
pub use std::process::{Child, Command, Output, Stdio};
pub use std::time::Duration;
pub use stride_test_support::state::{state, wait_until};
pub use stride_test_support::{Scratch, need, need_ebpf, or_skip, skip, wait_for};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

pub const AGENT: &str = env!("CARGO_BIN_EXE_stride-agent");

/// The program `stride` beside the agent.
pub fn stride() -> Result<PathBuf, String> {
    let stride = Path::new(AGENT).with_file_name("stride");
    stride.exists().then_some(stride).ok_or_else(|| "`cargo build -p stride-cli` must have built stride".into())
}

pub struct Agent {
    pub process: Child,
    pub scratch: Scratch,
    settings: Vec<(String, String)>,
}

/// A program that does nothing but what the script says.
pub fn script(path: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Agent {
    /// Starts an agent with this configuration, below whose `directory = ...` everything is.
    pub fn start(scratch: Scratch, stride: &Path, config: &str, settings: &[(&str, String)]) -> Agent {
        write_config(&scratch, config);
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let process = spawn(&scratch, stride, &settings);
        let agent = Agent { process, scratch, settings };
        agent.is_there();
        agent
    }

    /// Waits until the agent answers.
    fn is_there(&self) {
        wait_until("the agent answers", || self.ask(&["--status"]).status.success());
    }

    /// Starts another agent in the place of this one.
    pub fn start_again(&mut self, stride: &Path) {
        self.process = spawn(&self.scratch, stride, &self.settings);
        self.is_there();
    }

    pub fn ask(&self, request: &[&str]) -> Output {
        self.client(request).output().unwrap()
    }

    pub fn client(&self, request: &[&str]) -> Command {
        let mut command = Command::new(AGENT);
        command.arg(format!("--socket={}", self.scratch.path("agent.sock").display())).args(request);
        command.stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub fn told(&self, request: &[&str]) -> String {
        let output = self.ask(request);
        assert!(output.status.success(), "{request:?}: {output:?}");
        text(&output.stdout).trim_end().to_owned()
    }

    #[track_caller]
    pub fn refused(&self, request: &[&str]) -> String {
        let output = self.ask(request);
        assert_eq!(output.status.code(), Some(1), "{request:?}: {output:?}");
        text(&output.stderr)
    }

    pub fn status(&self) -> Value {
        serde_json::from_str(&self.told(&["--status"])).unwrap()
    }

    /// The fact about the first tracer.
    pub fn of_first(&self, fact: &str) -> Value {
        self.status()["tracers"][0][fact].clone()
    }

    /// The process id of the first tracer, as soon as that runs.
    pub fn tracer(&self) -> i32 {
        wait_for("a tracer", || self.of_first("pid").as_i64()) as i32
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.process.id() as i32), signal).unwrap();
    }

    /// Waits until the log has this text.
    pub fn says(&self, part: &str) {
        wait_until(&format!("the agent says {part:?}: {}", self.scratch.read("log")), || {
            self.scratch.read("log").contains(part)
        });
    }

    /// Ends the agent, which has to leave nothing that runs.
    pub fn end(&mut self) {
        let tracers = self.status()["tracers"].as_array().unwrap().clone();
        self.signal(Signal::SIGTERM);
        let status = wait_for("the end of the agent", || self.process.try_wait().unwrap());
        assert!(status.success(), "{status}: {}", self.scratch.read("log"));
        assert!(!self.scratch.path("agent.sock").exists());
        for pid in tracers.iter().filter_map(|tracer| tracer["pid"].as_i64()) {
            assert!(!lives(pid as i32), "tracer {pid} runs on");
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn write_config(scratch: &Scratch, config: &str) {
    let directory = scratch.path("state");
    fs::write(scratch.path("agent.toml"), format!("directory = '{}'\n{config}", directory.display())).unwrap();
}

/// An agent that was not waited for.
pub fn command(scratch: &Scratch, stride: &Path) -> Command {
    let mut command = Command::new(AGENT);
    command.arg(format!("--config={}", scratch.path("agent.toml").display()));
    command.arg(format!("--socket={}", scratch.path("agent.sock").display()));
    command.arg(format!("--stride={}", stride.display()));
    command
}

fn spawn(scratch: &Scratch, stride: &Path, settings: &[(String, String)]) -> Child {
    let log = fs::File::options().append(true).create(true).open(scratch.path("log")).unwrap();
    let mut command = command(scratch, stride);
    command.env_remove("LD_LIBRARY_PATH").envs(settings.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// True if a process is there and has not ended.
pub fn lives(pid: i32) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// All files below a directory.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}
