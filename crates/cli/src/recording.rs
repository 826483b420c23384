//! `--record`: a view that keeps everything.

use crate::command::os_error;
use crate::files::Target;
use crate::flags::Options;
use crate::layout;
use std::fs::File;
use std::io;
use std::path::Path;
use std::rc::Rc;
use stride_decode::{Decoder, Part, World};
use stride_engine_base::Engine;
use stride_event::quantity::{bytes, count};
use stride_event::{Call, Event, Limits};
use stride_filter::WordSet;
use stride_output::{RunInfo, ShowStack};
use stride_proc::{LiveSource, Proc, RecordingSource};
use stride_record::{Metadata, Recorder};
use stride_syscalls::plan::is_message;
use stride_syscalls::{Class, Effect, table};

pub struct Recording {
    target: Target,
    /// As long as all goes well.
    recorder: Option<Recorder<File>>,
    asking: Asking,
}

impl Recording {
    pub fn new(target: Target, options: &Options) -> Recording {
        Recording { target, recorder: None, asking: Asking::new(options) }
    }

    /// Answers about the world, which are noted.
    pub fn source(&self) -> Rc<RecordingSource> {
        self.asking.noting.clone()
    }

    /// Empties the file and says what this is. Nothing has been run yet. The answer is a complaint.
    pub fn begin(&mut self, options: &Options, engine: &dyn Engine, limits: &Limits, info: &RunInfo) -> Option<String> {
        let info = info.clone();
        let metadata = Metadata {
            args: info.args,
            version: info.version,
            host: info.host,
            release: info.release,
            machine: info.machine,
            engine: info.engine,
            command: engine.command(),
            partial: info.partial,
            follows: info.follows,
            several: options.follow_forks || options.attach.len() + usize::from(options.command.is_some()) > 1,
            wall_offset: info.wall_offset as i64,
            started: info.started,
            // Names of threads may have taken more.
            text_limit: options.string_limit as u64,
            elements_limit: limits.elements as u64,
            descriptors: self.asking.options.fds,
            dumps: !options.dump_read.is_empty() || !options.dump_write.is_empty(),
            names: self.asking.options.pids,
            instruction_pointers: options.instruction_pointer,
            stacks: options.stack_trace.is_some(),
            sources: options.stack_trace == Some(ShowStack::Source),
            cpu_times: engine.capabilities().cpu_times,
        };
        let begun = self.target.begin().and_then(|()| self.target.file.try_clone());
        let begun = begun.and_then(|file| Recorder::new(file, &metadata));
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

    /// Keeps a call that is not shown, for what it says of its thread's name.
    pub fn aside(&mut self, call: &Call) -> Option<String> {
        self.event(&Event::Aside(call))
    }

    pub fn finish(&mut self, engine: &dyn Engine) -> Option<String> {
        let lost = engine.lost();
        let recorder = self.recorder.as_mut()?;
        let finished = recorder.finish(lost);
        self.target.written.set(recorder.written().bytes);
        Some(self.failed(&finished.err()?))
    }

    fn failed(&mut self, error: &io::Error) -> String {
        self.target.written.set(0);
        let written = self.recorder.take().map(|recorder| recorder.written()).unwrap_or_default();
        // A frame of which there is a part is none.
        if self.target.is_regular() {
            let _ = self.target.file.set_len(written.bytes);
        }
        format!(
            "Can't write the recording '{}': {}. It ends after {} ({}); the program goes on.",
            self.target.path.display(),
            os_error(error),
            count(written.calls, "call", "calls"),
            bytes(written.bytes)
        )
    }
}

/// Finds out what it takes to show an event, by decoding it: what the decoder asks now, it will ask then.
struct Asking {
    decoder: Decoder,
    options: stride_decode::Options,
    world: Proc,
    noting: Rc<RecordingSource>,
    /// An entry was seen: what is shown there has been asked.
    entered: std::collections::HashSet<stride_event::Tid>,
}

impl Asking {
    fn new(options: &Options) -> Asking {
        let program = options.command.as_ref().map(|command| Path::new(&command.program));
        let noting = Rc::new(RecordingSource::new(LiveSource::new(program)));
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
        if self.options.fds || self.options.pids || may_ask(call) {
            self.decoder.decode(call, part, &self.options, &self.world);
        }
    }

    fn name(&self, tid: stride_event::Tid) {
        if self.options.pids {
            self.world.comm(tid);
        }
    }
}

/// Whether decoding a call may take more than the call, with neither descriptors nor processes to be told: requests of terminals,
/// interfaces and netlink messages. Decoding costs more than all the rest of a recording.
fn may_ask(call: &Call) -> bool {
    let Some(row) = table(call.abi).get(call.nr).map(|entry| entry.row) else { return false };
    let message = |bytes: &[u8]| bytes.first_chunk().is_some_and(|first| is_message(u32::from_le_bytes(*first)));
    row.has_effect(Effect::ControlsDevice)
        || row.class.intersects(Class::NETWORK)
        || (0..call.blocks.len()).any(|i| call.blocks.get(i).is_some_and(|(.., bytes)| message(bytes)))
}
