//! The process of another Stride: its start, its messages, and its end.

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;
use stride_output::shown;

/// Bytes of messages.
const MOST_BYTES: u64 = 4096;

/// A Stride that was started. It is ended when this is dropped.
pub struct HelperProcess {
    /// None when it is being ended.
    child: Option<Child>,
    /// Its messages. (A pipe that nobody reads could block it.)
    messages: File,
}

/// The time that it has for its end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

impl HelperProcess {
    /// `out` is where its standard output goes.
    pub fn start(words: &[OsString], out: Stdio) -> io::Result<HelperProcess> {
        let messages = File::from(memfd_create(c"messages", MFdFlags::MFD_CLOEXEC)?);
        let mut command = Command::new("/proc/self/exe");
        command.args(words).stdin(Stdio::null()).stdout(out).stderr(messages.try_clone()?);
        // This thread gets no signals, and a child would inherit that.
        let mask = SigSet::empty().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let child = command.spawn();
        mask.thread_set_mask()?;
        Ok(HelperProcess { child: Some(child?), messages })
    }

    pub fn record(words: &[OsString]) -> io::Result<HelperProcess> {
        HelperProcess::start(words, Stdio::null())
    }

    /// Its messages, if it has ended by itself.
    pub fn ended(&mut self) -> Option<String> {
        self.child.as_mut()?.try_wait().ok().flatten()?;
        Some(self.take_messages())
    }

    /// Ends it as ^C does, and returns its messages.
    pub fn end(&mut self) -> String {
        if let Some(child) = self.child.take() {
            end(child);
        }
        self.take_messages()
    }

    fn take_messages(&mut self) -> String {
        let mut text = Vec::new();
        // The last ones, because a recorder may tell of each process.
        let length = self.messages.metadata().map_or(0, |metadata| metadata.len());
        if self.messages.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES))).is_ok() {
            let _ = (&self.messages).take(MOST_BYTES).read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().map(|line| line.split_once(": ").map_or(line, |(_, message)| message));
        let comes_or_goes = |line: &&str| line.starts_with("Process ") && line.ends_with("tached");
        let lines: Vec<&str> = lines.filter(|line| !comes_or_goes(line)).collect();
        // Later messages matter more, where not all fit.
        shown(lines.into_iter().rev().take(3).collect::<Vec<_>>().join("; ").as_bytes())
    }
}

/// The traced processes run on, also if it has to be killed.
fn end(mut child: Child) {
    // It has not been waited for, so its id is still its own.
    let pid = Pid::from_raw(child.id() as i32);
    let begun = Instant::now();
    if matches!(child.try_wait(), Ok(None)) {
        let _ = kill(pid, Signal::SIGINT);
    }
    while matches!(child.try_wait(), Ok(None)) {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(LOOK);
    }
}

impl Drop for HelperProcess {
    /// Nobody waits for the end: the view has other things to show.
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            let pid = Pid::from_raw(child.id() as i32);
            let ended = || std::thread::Builder::new().name("stride-end".into()).spawn(move || end(child));
            if without_signals(ended).is_err() {
                let _ = kill(pid, Signal::SIGINT);
            }
        }
    }
}

/// The file of a new recording, in the working directory.
pub fn recording_name(seconds: u64, exists: impl Fn(&OsStr) -> bool) -> OsString {
    let name = |n: u32| {
        OsString::from(if n == 0 { format!("stride-{seconds}.rec") } else { format!("stride-{seconds}-{n}.rec") })
    };
    (0..1000).map(name).find(|name| !exists(name)).unwrap_or_else(|| name(1000))
}
