//! Where the trace and Stride's own messages go.

use crate::command::os_error;
use crate::flags::{Options, Output};
use crate::layout;
use anyhow::{Result, anyhow};
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use stride_output::{Show, Sink, TextView};
use stride_proc::Proc;

pub struct Outputs {
    program: String,
    /// What the trace goes to, until a view takes it over.
    sink: Option<Sink>,
    /// A second handle for what follows the trace.
    tail: Option<Box<dyn Write + Send>>,
    shell: Option<Child>,
}

impl Outputs {
    pub fn open(options: &Options) -> Result<Outputs> {
        let mut outputs = Outputs { program: options.program.clone(), sink: None, tail: None, shell: None };
        match &options.output {
            Output::Stderr => {
                outputs.sink = Some(Sink::new(Box::new(io::stderr()), true));
                outputs.tail = Some(Box::new(io::stderr()));
            }
            // Each thread's file is opened when its first line is due.
            Output::File(_) if options.output_separately => {}
            Output::File(path) => {
                let file = open(path, options.append)?;
                let eager = file.is_terminal() || !file.metadata().is_ok_and(|m| m.is_file());
                outputs.tail = Some(Box::new(file.try_clone()?));
                outputs.sink = Some(Sink::new(Box::new(file), eager));
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
                outputs.sink = Some(Sink::new(Box::new(std::fs::File::from(fd)), true));
                outputs.shell = Some(child);
            }
        }
        Ok(outputs)
    }

    /// A message of Stride's own.
    pub fn complain(&self, message: &str) {
        let _ = writeln!(io::stderr(), "{}: {message}", self.program);
    }

    pub fn text_view(&mut self, options: &Options) -> Result<TextView> {
        let layout = layout::layout(options);
        let decoding = layout::decoding(options);
        let world = Box::new(Proc::new(options.decode_fds, options.decode_pids));
        let show = show(options);
        if let (Output::File(path), true) = (&options.output, options.output_separately) {
            let (path, append) = (path.clone(), options.append);
            let open = Box::new(move |tid| {
                let mut name = path.clone().into_os_string();
                name.push(format!(".{tid}"));
                let file = open(&PathBuf::from(name), append).map_err(|e| io::Error::other(e.to_string()))?;
                Ok(Sink::new(Box::new(file), false))
            });
            return Ok(TextView::per_thread(layout, decoding, world, wall_offset(), show, open));
        }
        let sink = self.sink.take().ok_or_else(|| anyhow!("the output is in use"))?;
        Ok(TextView::new(layout, decoding, world, wall_offset(), show, sink))
    }

    pub fn write_summary(&mut self, table: &str, text: Option<&mut TextView>) {
        if let Some(text) = text {
            text.flush();
        }
        let result = match &mut self.tail {
            Some(tail) => tail.write_all(table.as_bytes()).and_then(|()| tail.flush()),
            None => io::stderr().write_all(table.as_bytes()),
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

fn open(path: &Path, append: bool) -> Result<std::fs::File> {
    let mut how = OpenOptions::new();
    how.create(true);
    if append { how.append(true) } else { how.write(true).truncate(true) };
    how.open(path).map_err(|e| anyhow!("Can't fopen '{}': {}", path.display(), os_error(&e)))
}

fn show(options: &Options) -> Show {
    use stride_filter::Quiet;
    let mut show = Show {
        exit: !options.is_quiet(Quiet::Exit),
        attach: !options.is_quiet(Quiet::Attach),
        superseded: !options.is_quiet(Quiet::ThreadExecve),
        ..Show::default()
    };
    for (signal, shown) in show.signal.iter_mut().enumerate().skip(1) {
        *shown = options.signals.contains(signal as i32);
    }
    show
}

/// Wall-clock time minus monotonic time, in nanoseconds.
fn wall_offset() -> i128 {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128);
    let monotonic = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC)
        .map_or(0, |t| i128::from(t.tv_sec()) * 1_000_000_000 + i128::from(t.tv_nsec()));
    wall - monotonic
}
