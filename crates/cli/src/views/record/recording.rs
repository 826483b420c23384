//! The view that writes the recording.

use super::asking::Asking;
use crate::command::os_error;
use crate::files::Target;
use crate::layout;
use crate::views::opening::Opening;
use std::fs::File;
use std::io;
use stride_event::quantity::{bytes, count};
use stride_event::{Call, Event};
use stride_output::{End, View, ViewError};
use stride_record::{Metadata, Recorder};
use stride_track::Tracker;

pub struct Recording {
    target: Target,
    /// The recorder. None after a failure.
    recorder: Option<Recorder<File>>,
    asking: Asking,
    error: Option<ViewError>,
}

impl Recording {
    /// Empties the file and writes the metadata. Nothing has been shown yet.
    pub fn begin(target: Target, asking: Asking, with: &Opening<'_>) -> Recording {
        let (options, info) = (with.options, with.info.clone());
        let metadata = Metadata {
            args: info.args,
            version: info.version,
            host: info.host,
            release: info.release,
            machine: info.machine,
            engine: info.engine,
            command: with.command,
            partial: info.partial,
            follows: info.follows,
            several: options.follow_forks || options.attach.len() + usize::from(options.command.is_some()) > 1,
            wall_offset: info.wall_offset as i64,
            started: info.started,
            // Names of threads may have been captured longer.
            text_limit: options.string_limit as u64,
            elements_limit: layout::elements(options) as u64,
            descriptors: asking.tells_descriptors(),
            dumps: !options.dump_read.is_empty() || !options.dump_write.is_empty(),
            names: asking.tells_names(),
            instruction_pointers: options.instruction_pointer,
            stacks: with.needs.stacks,
            sources: with.needs.sources,
            cpu_times: with.cpu_times,
            changes: !options.injections.is_empty(),
        };
        let mut recording = Recording { target, recorder: None, asking, error: None };
        let begun = recording.target.begin().and_then(|()| recording.target.file.try_clone());
        match begun.and_then(|file| Recorder::new(file, &metadata)) {
            Ok(recorder) => recording.recorder = Some(recorder),
            Err(error) => recording.failed(&error),
        }
        recording
    }

    /// Writes an event, and the answers that are needed to show it.
    fn keep(&mut self, event: &Event<'_>) {
        let Some(recorder) = &mut self.recorder else { return };
        let news = self.asking.about(event);
        let written = news.iter().try_for_each(|fact| recorder.fact(fact)).and_then(|()| recorder.event(event));
        if let Err(error) = written {
            self.failed(&error);
        }
    }

    fn failed(&mut self, error: &io::Error) {
        self.target.written.set(0);
        let written = self.recorder.take().map(|recorder| recorder.written()).unwrap_or_default();
        // A partial frame cannot be read, so it is cut off.
        if self.target.is_regular() {
            let _ = self.target.file.set_len(written.bytes);
        }
        let message = format!(
            "Can't write the recording '{}': {}. It ends after {} ({}); the program goes on.",
            self.target.path.display(),
            os_error(error),
            count(written.calls, "call", "calls"),
            bytes(written.bytes)
        );
        self.error = Some(ViewError::cut(error, message));
    }
}

impl View for Recording {
    fn event(&mut self, event: &Event<'_>, _: &Tracker) {
        self.keep(event);
    }

    fn aside(&mut self, call: &Call) {
        self.keep(&Event::Aside(call));
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        if let Some(recorder) = &mut self.recorder {
            let finished = recorder.finish(end.lost);
            self.target.written.set(recorder.written().bytes);
            if let Err(error) = finished {
                self.failed(&error);
            }
        }
        String::new()
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}
