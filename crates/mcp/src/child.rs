//! Children: `stride` and DuckDB, each below a keeper, with limits.

use crate::keeper;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The processes that end with a child.
#[derive(Clone, Copy, PartialEq)]
pub enum ChildExtent {
    /// All that come of it.
    All,
    /// The child alone.
    One,
}

/// A program that is to be run.
pub struct ChildTask {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub cwd: Option<PathBuf>,
    /// The child's standard input. Default: empty.
    pub input: Option<Stdio>,
    pub extent: ChildExtent,
}

/// Reasons to end a child early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    Cancelled,
    TimeOver,
    /// A file has become too large.
    TooLarge,
    /// The reader has all that it wants.
    Enough,
}

pub struct ChildLimits<'a> {
    pub cancelled: &'a CancellationToken,
    pub time: Duration,
    /// A recording that the child writes, and the bytes that it may have. The time begins when there is something in the file: Stride writes to it right before the command
    /// begins, and loading its programs into the kernel takes a while before.
    pub file: Option<(&'a Path, u64)>,
}

impl ChildLimits<'_> {
    async fn reached(&self) -> Cut {
        tokio::select! {
            () = self.cancelled.cancelled() => Cut::Cancelled,
            () = self.time_over() => Cut::TimeOver,
            () = self.too_large() => Cut::TooLarge,
        }
    }

    async fn time_over(&self) {
        if let Some((file, _)) = self.file {
            let start = Instant::now();
            while start.elapsed() < BEGINNING && !file.metadata().is_ok_and(|found| found.len() > 0) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        tokio::time::sleep(self.time).await;
    }

    async fn too_large(&self) {
        let Some((file, most)) = self.file else { return std::future::pending().await };
        loop {
            tokio::time::sleep(Duration::from_millis(200)).await;
            if file.metadata().is_ok_and(|found| found.len() > most) {
                return;
            }
        }
    }
}

/// A Stride that does not begin in this time uses up its command's time.
const BEGINNING: Duration = Duration::from_secs(60);

/// How a child ended.
pub struct ChildEnd {
    pub status: i32,
    pub cut: Option<Cut>,
    /// The last bytes of its standard error.
    pub errors: LastBytes,
}

/// The keeper, or a Stride that it waits for, does not end in time only if the kernel does not let it.
const LAST_RESORT: Duration = Duration::from_secs(30);

impl ChildTask {
    fn spawn(self) -> std::io::Result<Child> {
        let mut command = Command::new("/proc/self/exe");
        command
            .arg(keeper::WORD)
            .arg(std::process::id().to_string())
            .arg(if self.extent == ChildExtent::All { "all" } else { "one" })
            .arg(self.program)
            .args(self.args)
            .stdin(self.input.unwrap_or_else(Stdio::null))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A Ctrl-C at the server's terminal is for the server.
            .process_group(0);
        if let Some(cwd) = self.cwd {
            command.current_dir(cwd);
        }
        command.spawn()
    }

    /// Runs the program to its end, or until a limit is reached, and hands its output to `take`, which returns false if it has enough.
    pub async fn run(self, limits: ChildLimits<'_>, mut take: impl FnMut(&[u8]) -> bool) -> std::io::Result<ChildEnd> {
        let mut child = self.spawn()?;
        let mut out = child.stdout.take();
        let mut err = child.stderr.take();
        let mut errors = LastBytes::default();
        let (mut out_part, mut err_part) = (vec![0; 64 << 10], vec![0; 16 << 10]);
        let mut cut = None;
        let reached = limits.reached();
        tokio::pin!(reached);
        while out.is_some() || err.is_some() {
            tokio::select! {
                reason = &mut reached, if cut.is_none() => {
                    cut = Some(reason);
                    end(&child);
                }
                // The pipes end with the keeper, which ends last.
                () = tokio::time::sleep(LAST_RESORT), if cut.is_some() => {
                    let _ = child.start_kill();
                    break;
                }
                part = read(&mut out, &mut out_part) => {
                    let more = part.is_none_or(|n| take(&out_part[..n]));
                    if !more && cut.is_none() {
                        cut = Some(Cut::Enough);
                        end(&child);
                    }
                }
                part = read(&mut err, &mut err_part) => {
                    if let Some(n) = part {
                        errors.add(&err_part[..n]);
                    }
                }
            }
        }
        let status = child.wait().await?;
        Ok(ChildEnd { status: status.code().unwrap_or(keeper::NOT_STARTED), cut, errors })
    }
}

/// Reads from a pipe. `None`: the pipe has ended, and is put away.
async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, part: &mut [u8]) -> Option<usize> {
    let Some(open) = pipe else { return std::future::pending().await };
    match open.read(part).await {
        Ok(n) if n > 0 => Some(n),
        _ => {
            *pipe = None;
            None
        }
    }
}

fn end(child: &Child) {
    if let Some(pid) = child.id() {
        let _ = kill(Pid::from_raw(pid as i32), Signal::SIGTERM);
    }
}

/// The last bytes of an output.
#[derive(Default)]
pub struct LastBytes {
    bytes: Vec<u8>,
    /// The bytes that were dropped.
    pub dropped: u64,
}

impl LastBytes {
    const MOST: usize = 16 << 10;

    pub fn add(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        if self.bytes.len() > 2 * Self::MOST {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.bytes.len().saturating_sub(Self::MOST);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    pub fn bytes(&mut self) -> &[u8] {
        self.trim();
        &self.bytes
    }
}

/// Cuts an output into lines. The rest of a line that is too long is dropped.
#[derive(Default)]
pub struct LineCutter {
    line: Vec<u8>,
}

impl LineCutter {
    /// No line of Stride is as long: this is a bound for memory.
    const MOST: usize = 4 << 20;

    /// Hands each complete line to `take`, until that returns false.
    pub fn add(&mut self, part: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
        let mut pieces = part.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = Self::MOST.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if pieces.peek().is_some() {
                let more = take(&self.line);
                self.line.clear();
                if !more {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole() {
        let mut lines = LineCutter::default();
        let mut got = Vec::new();
        for part in ["a", "b\nc\n", "\nd"] {
            assert!(lines.add(part.as_bytes(), |line| {
                got.push(String::from_utf8(line.to_vec()).unwrap());
                true
            }));
        }
        assert_eq!(got, ["ab", "c", ""]);
        assert!(!lines.add(b"\ne\n", |_| false));
    }

    #[test]
    fn a_tail_has_the_end() {
        let mut tail = LastBytes::default();
        for number in 0..10_000 {
            tail.add(format!("{number}\n").as_bytes());
        }
        assert!(tail.bytes().ends_with(b"9998\n9999\n"));
        assert_eq!(tail.bytes().len(), LastBytes::MOST);
        assert_eq!(tail.dropped as usize + LastBytes::MOST, (0..10_000).map(|n| format!("{n}\n").len()).sum::<usize>());
    }
}
