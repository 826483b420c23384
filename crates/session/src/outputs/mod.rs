//! The destinations of the trace and of Stride's own messages.

mod files;
pub mod rotation;

pub use files::{CompletionNotice, CompletionNotices, Files, NamedFile, Target, Use, Whole, WrittenFile};
pub use stride_output::progress::erase as erase_progress;

use crate::options::{Options, Output};
use crate::{os_error, threads};
use anyhow::{Result, anyhow};
use nix::errno::Errno;
use rotation::RotatedText;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use stride_engine_base::signal::without_signals;
use stride_event::{Ns, Tid};
use stride_output::progress;
use stride_output::{OpenSink, Sink, ViewError, own_file};

/// The trace's output, and Stride's messages on the standard error.
pub struct Outputs {
    program: String,
    /// The output of the trace, until a view takes it.
    sink: Option<Sink>,
    /// A second handle, for text after the trace.
    tail: Option<Box<dyn Write + Send>>,
    shell: Option<Child>,
    /// True if the trace goes to a terminal; `width` is the terminal's width.
    terminal: bool,
    width: Option<usize>,
}

/// Writes a message of Stride's own to the standard error. Each line begins with `program`.
pub fn complain(program: &str, message: &str) {
    progress::erase();
    let lines: String = message.lines().map(|line| format!("{program}: {line}\n")).collect();
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// Releases the standard input and output, which belong to the command. If Stride kept them open, the other end of a
/// pipe would not notice that the command closed it. (A trace that goes to one of them by `-o /dev/stdout` has a
/// descriptor of its own.)
pub fn release_stdio() {
    let Ok(null) = OpenOptions::new().read(true).write(true).open("/dev/null") else { return };
    let _ = nix::unistd::dup2_stdin(&null);
    let _ = nix::unistd::dup2_stdout(&null);
}

impl Outputs {
    /// Opens the output that the options name. The error is a sentence.
    pub fn open(options: &Options) -> Result<Outputs> {
        let mut outputs = Outputs {
            program: options.program.clone(),
            sink: None,
            tail: None,
            shell: None,
            terminal: false,
            width: None,
        };
        match &options.output {
            Output::Stderr => {
                outputs.terminal = io::stderr().is_terminal();
                outputs.width = width(io::stderr());
                // The command's own messages may go there, too. Immediate writes keep both in order.
                let eager = outputs.terminal || !is_device(io::stderr());
                outputs.sink = Some(Sink::new("standard error", Box::new(io::stderr()), eager));
                outputs.tail = Some(Box::new(io::stderr()));
            }
            Output::Stdout => {
                outputs.terminal = io::stdout().is_terminal();
                outputs.width = width(io::stdout());
                outputs.sink = Some(Sink::new("standard output", Box::new(io::stdout()), outputs.terminal));
                outputs.tail = Some(Box::new(io::stdout()));
            }
            // Each thread's file is opened when its first line is due.
            Output::File(path) if options.output_separately => {
                // `.` and the longest thread id must fit.
                if path.as_os_str().len() + 12 >= nix::libc::PATH_MAX as usize {
                    return Err(anyhow!("{}: {}", path.display(), Errno::ENAMETOOLONG.desc()));
                }
            }
            Output::File(path) => {
                let file = open(path, options.append).map_err(|e| anyhow!(cannot_open(path, &e)))?;
                outputs.terminal = file.is_terminal();
                outputs.width = width(&file);
                let eager = outputs.terminal || !(file.metadata().is_ok_and(|m| m.is_file()) || is_device(&file));
                let name = path.display().to_string();
                match options.rotation {
                    Some(rotation) => {
                        let file = RotatedText::new(path, file, rotation, options.json)?;
                        outputs.tail = Some(Box::new(file.clone()));
                        outputs.sink = Some(Sink::new(name, Box::new(file), false));
                    }
                    None => {
                        outputs.tail = Some(Box::new(file.try_clone()?));
                        outputs.sink = Some(Sink::new(name, Box::new(file), eager));
                    }
                }
            }
            Output::Pipe(command) => {
                let mut child = std::process::Command::new("/bin/sh")
                    .arg("-c")
                    .arg(command)
                    .stdin(Stdio::piped())
                    .spawn()
                    .map_err(|e| anyhow!("Can't run /bin/sh for the output: {}", os_error(&e)))?;
                let pipe = child.stdin.take().ok_or_else(|| anyhow!("Can't open a pipe to the output command"))?;
                let fd = std::os::fd::OwnedFd::from(pipe);
                outputs.tail = Some(Box::new(std::fs::File::from(fd.try_clone()?)));
                let (name, to) = (format!("|{}", command.to_string_lossy()), Box::new(std::fs::File::from(fd)));
                // Nobody follows the calls of a recording line by line.
                outputs.sink = Some(Sink::new(name, to, options.replay.is_none()));
                outputs.shell = Some(child);
            }
        }
        if options.replay.is_some() && threads::pay() {
            outputs.sink = outputs.sink.take().map(|sink| without_signals(|| sink.behind()));
        }
        Ok(outputs)
    }

    /// Writes a message of Stride's own. Each line begins with Stride's name.
    pub fn complain(&self, message: &str) {
        complain(&self.program, message);
    }

    /// True if the trace goes to a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// The width of the terminal that the trace goes to, if it does.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// True if this is a process that Stride started for itself.
    pub fn is_own_child(&self, pid: Tid) -> bool {
        self.shell.as_ref().is_some_and(|shell| shell.id() == pid as u32)
    }

    /// The output of the trace, for a view to keep.
    pub fn take_sink(&mut self) -> Result<Sink> {
        self.sink.take().ok_or_else(|| anyhow!("the output is in use"))
    }

    /// A function that opens the file of each thread, if threads have files of their own (`-ff`).
    pub fn opener(&self, options: &Options) -> Option<OpenSink> {
        let Output::File(path) = options.output.clone() else { return None };
        let (program, append, rotation) = (self.program.clone(), options.append, options.rotation);
        let open: OpenSink = Box::new(move |tid| {
            let wanted = own_file::numbered(&path, tid.cast_unsigned());
            let opened = own_file::create_or_reuse(&wanted, append);
            let (file, name) = opened.map_err(|e| ViewError::unopened(&e, cannot_open(&wanted, &e)))?;
            let shown = name.display().to_string();
            if name != wanted {
                let taken = wanted.display();
                complain(
                    &program,
                    &format!(
                        "'{taken}' is no file of yours alone, so it is left as it is, and '{shown}' is written instead"
                    ),
                );
            }
            let to: Box<dyn Write + Send> = match rotation {
                Some(rotation) => {
                    let rotated = RotatedText::new(&name, file, rotation, false);
                    Box::new(rotated.map_err(|e| ViewError::unopened(&e, cannot_open(&name, &e)))?)
                }
                None => Box::new(file),
            };
            Ok(Sink::new(shown, to, false))
        });
        options.output_separately.then_some(open)
    }

    /// Writes text after the trace. The whole trace has been written before.
    pub fn write_tail(&mut self, tail: &str) {
        if tail.is_empty() {
            return;
        }
        let result = match &mut self.tail {
            Some(to) => to.write_all(tail.as_bytes()).and_then(|()| to.flush()),
            None => io::stderr().write_all(tail.as_bytes()),
        };
        if let Err(e) = result {
            self.complain(&format!("Can't write the summary: {}", os_error(&e)));
        }
    }

    /// Closes the pipe to the output command and waits for it to end.
    pub fn close(&mut self) {
        self.sink = None;
        self.tail = None;
        if let Some(mut child) = self.shell.take() {
            let _ = child.wait();
        }
    }
}

/// True if this is a character device. A character device that is no terminal is /dev/null or the like, and nobody
/// reads it while the program runs.
fn is_device(to: impl AsFd) -> bool {
    use nix::libc::{S_IFCHR, S_IFMT};
    nix::sys::stat::fstat(to).is_ok_and(|stat| stat.st_mode & S_IFMT == S_IFCHR)
}

fn width(to: impl AsFd) -> Option<usize> {
    rustix::termios::tcgetwinsize(to).ok().map(|size| size.ws_col.into()).filter(|width| *width > 0)
}

fn open(path: &Path, append: bool) -> io::Result<std::fs::File> {
    let mut how = OpenOptions::new();
    how.create(true);
    if append {
        how.append(true)
    } else {
        how.write(true).truncate(true)
    };
    how.open(path)
}

fn cannot_open(path: &Path, error: &io::Error) -> String {
    format!("Can't fopen '{}': {}", path.display(), os_error(error))
}

/// Wall-clock time minus monotonic time, in nanoseconds.
pub fn wall_offset() -> i128 {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128);
    wall - i128::from(monotonic())
}

/// The clock of the events.
pub fn monotonic() -> Ns {
    stride_engine_base::signal::now()
}
