//! `--record`: a view that keeps everything.

use crate::command::os_error;
use crate::engine::Engine;
use crate::flags::{Options, Output};
use crate::layout;
use anyhow::{Result, anyhow, bail};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use stride_decode::{Decoder, Part, World};
use stride_event::{Call, Event, Limits};
use stride_filter::WordSet;
use stride_output::grouped;
use stride_proc::{Noting, Proc};
use stride_record::{Metadata, Recorder};

pub struct Recording {
    path: PathBuf,
    file: File,
    /// As long as all goes well.
    recorder: Option<Recorder<File>>,
    asking: Asking,
}

/// Whether two names are of one file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| path.metadata().ok().filter(|m| m.is_file()).map(|m| (m.dev(), m.ino()));
    id(a).is_some() && id(a) == id(b)
}

impl Recording {
    /// Opens the file, before anything is run.
    pub fn open(path: &Path, options: &Options) -> Result<Recording> {
        let mut how = OpenOptions::new();
        // It is emptied only when it is known to be nobody else's.
        let file = how.create(true).write(true).truncate(false).open(path);
        let file = file.map_err(|e| anyhow!("Can't open '{}' for the recording: {}", path.display(), os_error(&e)))?;
        if let Output::File(output) = &options.output
            && same_file(path, output)
        {
            bail!("--record and -o/--output name the same file, '{}': give one of them another name", path.display());
        }
        Ok(Recording { path: path.to_owned(), file, recorder: None, asking: Asking::new(options) })
    }

    /// Answers about the world, which are noted.
    pub fn source(&self) -> Rc<Noting> {
        self.asking.noting.clone()
    }

    /// Empties the file and says what this is. Nothing has been run yet. The answer is a complaint.
    pub fn begin(&mut self, options: &Options, engine: &Engine, limits: &Limits, wall_offset: i128) -> Option<String> {
        let uname = nix::sys::utsname::uname();
        let field = |get: fn(&nix::sys::utsname::UtsName) -> &std::ffi::OsStr| {
            uname.as_ref().map(|u| get(u).to_string_lossy().into_owned()).unwrap_or_default()
        };
        let metadata = Metadata {
            args: std::env::args_os().collect(),
            version: env!("CARGO_PKG_VERSION").into(),
            host: field(|u| u.nodename()),
            release: field(|u| u.release()),
            machine: field(|u| u.machine()),
            engine: engine.name().into(),
            command: engine.command(),
            several: options.follow_forks || options.attach.len() + usize::from(options.command.is_some()) > 1,
            wall_offset: wall_offset as i64,
            started: monotonic(),
            text_limit: limits.text as u64,
            elements_limit: limits.elements as u64,
            descriptors: self.asking.options.fds,
            dumps: !options.dump_read.is_empty() || !options.dump_write.is_empty(),
            names: self.asking.options.pids,
            instruction_pointers: options.instruction_pointer,
            cpu_times: engine.name() == "ptrace",
        };
        let begun = match self.file.metadata() {
            Ok(meta) if meta.is_file() => self.file.set_len(0),
            _ => Ok(()),
        };
        let begun = begun.and_then(|()| self.file.try_clone()).and_then(|file| Recorder::new(file, &metadata));
        match begun {
            Ok(recorder) => {
                self.recorder = Some(recorder);
                None
            }
            Err(error) => Some(self.failed(&error)),
        }
    }

    /// Writes an event, and what has to be known to show it. The answer is a complaint.
    pub fn event(&mut self, event: &Event<'_>) -> Option<String> {
        let recorder = self.recorder.as_mut()?;
        self.asking.event(event);
        let written = self.asking.noting.take_news().iter().try_for_each(|fact| recorder.fact(fact));
        let error = written.and_then(|()| recorder.event(event)).err()?;
        Some(self.failed(&error))
    }

    pub fn finish(&mut self, engine: &Engine) -> Option<String> {
        let (calls, threads) = engine.lost();
        let error = self.recorder.as_mut()?.finish(calls, threads).err()?;
        Some(self.failed(&error))
    }

    fn failed(&mut self, error: &io::Error) -> String {
        let written = self.recorder.take().map(|recorder| recorder.written()).unwrap_or_default();
        // A frame of which there is a part is none.
        if self.file.metadata().is_ok_and(|m| m.is_file()) {
            let _ = self.file.set_len(written.bytes);
        }
        format!(
            "Can't write the recording '{}': {}. It ends after {} calls ({} bytes); the program goes on.",
            self.path.display(),
            os_error(error),
            grouped(written.calls),
            grouped(written.bytes)
        )
    }
}

fn monotonic() -> u64 {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC)
        .map_or(0, |t| t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64)
}

/// Finds out what it takes to show an event, by decoding it: what the decoder asks now, it will ask then.
struct Asking {
    decoder: Decoder,
    options: stride_decode::Options,
    world: Proc,
    noting: Rc<Noting>,
    /// An entry was seen: what is shown there has been asked.
    entered: std::collections::HashSet<stride_event::Tid>,
}

impl Asking {
    fn new(options: &Options) -> Asking {
        let noting = Rc::new(Noting::default());
        let fds = if layout::needs_descriptors(options) { WordSet::ALL } else { WordSet::NONE };
        let decoding = stride_decode::Options {
            fds: !fds.is_empty(),
            verbose: stride_event::CallSet::all(),
            raw: stride_event::CallSet::empty(),
            dump_read: stride_event::FdSet::none(),
            dump_write: stride_event::FdSet::none(),
            ..layout::decoding(options)
        };
        Asking {
            decoder: Decoder::default(),
            options: decoding,
            world: Proc::new(fds, options.decode_pids, noting.clone()),
            noting,
            entered: Default::default(),
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Enter(call) => {
                self.entered.insert(call.tid);
                self.call(call, Part::Entry);
            }
            Event::Exit(call) => {
                let entered = self.entered.remove(&call.tid);
                self.call(call, if entered { Part::Rest } else { Part::Whole });
            }
            Event::Superseded { call: Some(call), .. } | Event::Detached { call: Some(call), .. } => {
                self.call(call, Part::Entry);
            }
            Event::Signal { tid, info, .. } => {
                self.name(*tid);
                self.decoder.siginfo(*tid, &info[..], &self.options, &self.world);
            }
            Event::Started { tid, .. } | Event::Ending { tid } => self.name(*tid),
            _ => {}
        }
        self.noting.event(event);
    }

    fn call(&mut self, call: &Call, part: Part) {
        self.name(call.tid);
        self.decoder.decode(call, part, &self.options, &self.world);
    }

    fn name(&self, tid: stride_event::Tid) {
        if self.options.pids {
            self.world.comm(tid);
        }
    }
}
