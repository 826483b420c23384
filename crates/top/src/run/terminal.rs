//! The terminal: taken over, and given back in every case.
//!
//! The state that is needed to give it back is kept for the whole process, because a panic or a second SIGTERM can come at any place.

use anyhow::{Result, anyhow};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Read, Seek, Write, stderr, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The second screen, without a cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l";
const LEAVE: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?1049l";

struct Before {
    /// The source of keys.
    keys: File,
    out: File,
    modes: Termios,
}

static BEFORE: OnceLock<Before> = OnceLock::new();
/// The view has the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the terminal over. May be done again after [`give_back`].
pub fn take() -> std::io::Result<()> {
    let Some(before) = BEFORE.get() else { return Ok(()) };
    let mut raw = before.modes.clone();
    raw.make_raw();
    tcsetattr(&before.out, OptionalActions::Now, &raw)?;
    TAKEN.store(true, Ordering::Relaxed);
    (&before.out).write_all(ENTER)
}

/// Gives it back. Async-signal-safe, because a handler calls it.
pub fn give_back() {
    if let Some(before) = BEFORE.get()
        && TAKEN.swap(false, Ordering::Relaxed)
    {
        let _ = rustix::io::write(&before.out, LEAVE);
        let _ = tcsetattr(&before.out, OptionalActions::Now, &before.modes);
    }
}

/// Waits for keys. An error if the terminal is gone: who reads keys from it then gets none, without end.
pub fn wait_for_keys(patience: Duration) -> std::io::Result<()> {
    let Some(before) = BEFORE.get() else { return Ok(()) };
    let mut keys = [PollFd::new(&before.keys, PollFlags::IN)];
    let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
    match poll(&mut keys, Some(&patience)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    if keys[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Err(std::io::Error::other("it is gone"));
    }
    Ok(())
}

/// The terminal on which the view is drawn, and the files that replace the standard streams meanwhile.
pub struct OwnTerminal {
    /// The standard error of Stride itself.
    messages: OwnedFd,
    /// The messages that were written to standard error meanwhile.
    held: Option<File>,
}

impl OwnTerminal {
    /// Prepares everything, before anything is run. A command's output goes to `output`.
    pub fn prepare(has_command: bool, output: Option<&Path>) -> Result<OwnTerminal> {
        if !stdout().is_terminal() {
            return Err(anyhow!(
                "--top draws on the terminal, and standard output is none. For a file or a pipe, take --by=comm,syscall --every=1s"
            ));
        }
        // Keys are read from there.
        let keys = File::open("/dev/tty")
            .map_err(|e| anyhow!("--top reads keys from the terminal, and /dev/tty cannot be opened: {e}"))?;
        let messages = stderr().as_fd().try_clone_to_owned()?;
        let out = File::from(stdout().as_fd().try_clone_to_owned()?);
        let modes = tcgetattr(&out)?;
        let _ = BEFORE.set(Before { keys, out, modes });
        if has_command {
            // Both would write over the view.
            let to = match output {
                Some(path) => {
                    let mut how = OpenOptions::new();
                    let file = how.write(true).create(true).truncate(true).mode(0o666).open(path);
                    file.map_err(|e| {
                        anyhow!("Can't write '{}' (--top-output): {}", path.display(), stride_session::os_error(&e))
                    })?
                }
                None => OpenOptions::new().write(true).open("/dev/null")?,
            };
            nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
            nix::unistd::dup2_stdout(&to)?;
            nix::unistd::dup2_stderr(&to)?;
        }
        Ok(OwnTerminal { messages, held: None })
    }

    /// Takes the terminal over. From now on, Stride's own messages are held back.
    pub fn begin(&mut self) -> Result<Terminal<CrosstermBackend<File>>> {
        let held = nix::sys::memfd::memfd_create(c"messages", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?;
        nix::unistd::dup2_stderr(&held)?;
        self.held = Some(File::from(held));
        let panicked = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            panicked(info);
        }));
        stride_engine_base::signal::before_dying(give_back);
        take()?;
        let out = BEFORE.get().ok_or_else(|| anyhow!("the terminal is unknown"))?.out.try_clone()?;
        Ok(Terminal::new(CrosstermBackend::new(out))?)
    }

    /// Gives the terminal back, and shows the messages that were held back.
    pub fn end(&mut self) {
        give_back();
        let _ = nix::unistd::dup2_stderr(&self.messages);
        if let Some(mut held) = self.held.take() {
            let mut text = Vec::new();
            if held.rewind().and_then(|()| held.read_to_end(&mut text)).is_ok() {
                let _ = stderr().write_all(&text);
            }
        }
    }
}

impl Drop for OwnTerminal {
    fn drop(&mut self) {
        self.end();
    }
}
