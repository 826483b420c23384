//! Runs the command once, traced by another Stride, with or without a fault.

use crate::copy::copy_tree;
use crate::observed::{ObservedRun, Whereabouts, observe};
use crate::shape::{RunShape, STANDARD_OUTPUT, complaints_in, messages_of};
use crate::site::Fnv;
use anyhow::{Result, anyhow, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stride_engine_base::signal;
use stride_session::os_error;

/// So often it is asked whether a run is over.
const LOOK: Duration = Duration::from_millis(2);

/// The time in which the Stride of a run must end after the limit.
const GRACE: Duration = Duration::from_secs(20);

/// Input from a pipe is kept up to this size.
const MOST_INPUT: u64 = 256 << 20;

/// So much of the standard output is searched for messages.
const MOST_OUTPUT: u64 = 1 << 20;

/// The standard input of each run.
pub enum Input {
    Nothing,
    /// This file, from its beginning.
    File(PathBuf),
}

/// The settings of all runs, and a directory for them.
pub struct Runner {
    /// Stride's own program.
    pub stride: PathBuf,
    /// The options for the command's environment and name, and the command.
    pub options: Vec<OsString>,
    pub command: Vec<OsString>,
    /// The directory of which each run gets a copy.
    pub copied: Option<PathBuf>,
    pub input: Input,
    /// A directory for what runs leave.
    scratch: Scratch,
}

/// A directory that goes when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub time: Duration,
    pub calls: u64,
}

/// A run.
pub struct Ran {
    pub observed: ObservedRun,
    pub shape: RunShape,
    /// The standard error of the program.
    pub messages: String,
    /// The beginning of its standard output.
    pub output: String,
    pub took: Duration,
}

/// Why there is no result of a run.
pub enum NoRun {
    /// The user wants to end.
    Interrupted,
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for NoRun {
    fn from(error: E) -> NoRun {
        NoRun::Failed(error.into())
    }
}

impl Runner {
    pub fn new(
        stride: PathBuf,
        options: Vec<OsString>,
        command: Vec<OsString>,
        copied: Option<PathBuf>,
    ) -> Result<Runner> {
        let scratch = Scratch::make()?;
        let input = input(&scratch.0)?;
        Ok(Runner { stride, options, command, copied, input, scratch })
    }

    /// Runs the command. `number` tells runs at the same time apart. `also`: the files to look at, if the run has no copy of a directory.
    pub fn run(
        &self,
        number: usize,
        faults: &[String],
        with_lines: bool,
        limits: RunLimits,
        also: &BTreeSet<PathBuf>,
    ) -> Result<Ran, NoRun> {
        let own = Scratch(self.scratch.0.join(number.to_string()));
        let cannot = |what: &str, error: io::Error| anyhow!("{what}: {}", os_error(&error));
        fs::DirBuilder::new().mode(0o700).create(&own.0).map_err(|error| cannot("a run has no directory", error))?;
        let directory = match &self.copied {
            Some(from) => {
                let to = own.0.join("copy");
                fs::create_dir(&to)
                    .and_then(|()| copy_tree(from, &to))
                    .map_err(|error| cannot(&format!("'{}' cannot be copied", from.display()), error))?;
                to
            }
            None => std::env::current_dir().map_err(|error| cannot("the working directory is gone", error))?,
        };
        let [recording, out, err] = ["recording", "out", "err"].map(|name| own.0.join(name));
        let created = |path: &Path| File::create(path).map_err(|error| cannot("a run has no files", error));
        let mut command = Command::new(&self.stride);
        command
            .arg0("stride")
            .args(["--engine=ptrace", "-f", if with_lines { "-kk" } else { "-k" }, "--kill-on-exit", "--quiet=all"])
            .arg(format!("--for={}ms", limits.time.as_millis()))
            .arg(format!("--syscall-limit={}", limits.calls))
            .arg(joined("--record=", recording.as_os_str()))
            .args(faults)
            .args(&self.options)
            .arg("--")
            .args(&self.command)
            .current_dir(&directory)
            .process_group(0)
            .stdin(match &self.input {
                Input::Nothing => Stdio::null(),
                Input::File(path) => File::open(path).map_err(|error| cannot("the standard input", error))?.into(),
            })
            .stdout(created(&out)?)
            .stderr(created(&err)?);
        let began = Instant::now();
        let mut child = command.spawn().map_err(|error| cannot("Stride cannot be started", error))?;
        let took = loop {
            if child.try_wait().map_err(|error| cannot("Stride is not there", error))?.is_some() {
                break began.elapsed();
            }
            let is_late = began.elapsed() > limits.time + GRACE;
            if is_late || signal::caught().is_some() {
                // The kernel kills all tracees with it. (The child was not waited for, so the number is its own.)
                let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
                let _ = child.wait();
                if is_late {
                    return Err(NoRun::Failed(anyhow!("a run did not end at its limit")));
                }
                return Err(NoRun::Interrupted);
            }
            std::thread::sleep(LOOK);
        };
        if signal::caught().is_some() {
            return Err(NoRun::Interrupted);
        }
        let messages = messages_of(&err);
        let around =
            Whereabouts { directory: directory.clone(), words: self.words(&directory), kept: self.scratch.0.clone() };
        let observed = observe(&recording, &around).map_err(|error| {
            let complaints = complaints_in(&err);
            if complaints.is_empty() { error } else { anyhow!("{complaints}") }
        })?;
        let mut shape = RunShape::default();
        shape.add(STANDARD_OUTPUT.into(), &out);
        match &self.copied {
            Some(_) => shape.add_tree(&directory)?,
            None => also.iter().chain(&observed.written).for_each(|path| shape.add(path.clone(), path)),
        }
        let mut hash = Fnv::new();
        hash.plain(messages.as_bytes());
        shape.messages = hash.0;
        let mut output = Vec::new();
        File::open(&out)?.take(MOST_OUTPUT).read_to_end(&mut output)?;
        let output = String::from_utf8_lossy(&output).into_owned();
        Ok(Ran { observed, shape, messages, output, took })
    }

    /// The words of the command that are files.
    fn words(&self, directory: &Path) -> Vec<PathBuf> {
        let words = self.command.iter().skip(1);
        words.map(|word| directory.join(word)).filter(|path| path.parent().is_some() && path.exists()).collect()
    }
}

impl Scratch {
    fn make() -> Result<Scratch> {
        let path = std::env::temp_dir().join("stride-sweep-XXXXXX");
        nix::unistd::mkdtemp(&path).map(Scratch).map_err(|error| {
            anyhow!("no directory can be made in '{}': {}", std::env::temp_dir().display(), error.desc())
        })
    }
}

fn joined(option: &str, value: &std::ffi::OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// The standard input of each run: a file that is Stride's, what a pipe has, or nothing.
fn input(scratch: &Path) -> Result<Input> {
    let stdin = io::stdin();
    let own = fs::metadata("/proc/self/fd/0");
    if own.as_ref().is_ok_and(fs::Metadata::is_file) {
        return Ok(Input::File("/proc/self/fd/0".into()));
    }
    let is_pipe = own.is_ok_and(|metadata| std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type()));
    if stdin.is_terminal() || !is_pipe {
        return Ok(Input::Nothing);
    }
    let kept = scratch.join("input");
    let mut file = File::create(&kept).map_err(|error| anyhow!("{}", os_error(&error)))?;
    let mut rest = stdin.lock().take(MOST_INPUT + 1);
    let size = io::copy(&mut rest, &mut file).map_err(|error| anyhow!("the standard input: {}", os_error(&error)))?;
    if size > MOST_INPUT {
        bail!(
            "the standard input has more than {} to keep for each run; give a file",
            stride_event::quantity::bytes(MOST_INPUT)
        );
    }
    file.flush().map_err(|error| anyhow!("{}", os_error(&error)))?;
    Ok(Input::File(kept))
}
