//! The view that writes the recording.

use super::answers::Answers;
use super::asking::Asking;
use super::beginning::Beginning;
use crate::os_error;
use crate::outputs::Target;
use crate::outputs::rotation::FileAge;
use crate::run::Opening;
use crate::start;
use std::fs::File;
use std::io;
use stride_event::quantity::{bytes, count};
use stride_event::{Call, Event, Lost, Ns};
use stride_filter::Quiet;
use stride_output::{End, View, ViewError};
use stride_record::{BatchPace, Metadata, Recorder, Written};
use stride_track::Tracker;

pub struct Recording {
    target: Target,
    metadata: Metadata,
    /// `--rotate`.
    age: Option<FileAge>,
    /// The time of the latest event.
    at: Ns,
    /// The sum of the files before this one, and their number.
    before: Written,
    rotated: u32,
    remark: Option<String>,
    /// So many older files are kept.
    keeps: u32,
    tells: bool,
    /// The recorder. None after a failure.
    recorder: Option<Recorder<File>>,
    answers: Answers,
    error: Option<ViewError>,
}

impl Recording {
    /// Empties the file and writes the metadata. Nothing has been shown yet.
    pub fn begin(target: Target, answers: Answers, metadata: Metadata, with: &Opening<'_>) -> Recording {
        let age = with.options.rotation.map(FileAge::new);
        let mut recording = Recording {
            target,
            metadata,
            age,
            at: 0,
            before: Written::default(),
            rotated: 0,
            remark: None,
            keeps: with.options.rotation.map_or(0, |rotation| rotation.count - 1),
            tells: !with.options.is_quiet(Quiet::Files),
            recorder: None,
            answers,
            error: None,
        };
        let begun = recording.target.begin().and_then(|()| recording.target.file.try_clone());
        match begun.and_then(|file| recording.recorder(file)) {
            Ok(recorder) => recording.recorder = Some(recorder),
            Err(error) => recording.failed(&error),
        }
        recording
    }

    fn recorder(&self, file: File) -> io::Result<Recorder<File>> {
        let pace = self.age.as_ref().and_then(FileAge::size).map(BatchPace::within).unwrap_or_default();
        Ok(Recorder::new(file, &self.metadata)?.paced(pace))
    }

    /// Begins the next file, if it is time for that.
    fn rotate(&mut self, tracker: &Tracker) {
        let Some((age, recorder)) = self.age.as_mut().zip(self.recorder.as_mut()) else { return };
        let written = recorder.written();
        // The next event might be too much: the answers that come with it may fill a batch, and the event another one.
        let reserve = age.size().map_or(0, |size| size / 4);
        if written.events == 0 || !age.is_over(written.bytes + reserve) {
            return;
        }
        // Another part of the run is lost in no file.
        let finished = recorder.finish(Lost::default());
        let next = finished.and_then(|()| age.next_file(&self.target.path));
        let written = recorder.written();
        self.rotated += 1;
        self.before.calls += written.calls;
        self.before.bytes += written.bytes;
        let room = age.size().map_or(usize::MAX, |size| (size / 4) as usize);
        if let Err(error) = next.and_then(|file| self.begin_next(file, tracker, room)) {
            self.failed(&error);
        }
    }

    fn begin_next(&mut self, file: File, tracker: &Tracker, room: usize) -> io::Result<()> {
        self.target.file = file.try_clone()?;
        self.recorder = None;
        let mut recorder = self.recorder(file)?;
        if let Answers::Asked(asking) = &self.answers {
            let beginning = Beginning::now(tracker, asking, self.at, room);
            beginning.facts.iter().try_for_each(|fact| recorder.fact(fact))?;
            beginning.threads.iter().try_for_each(|event| recorder.event(event))?;
        }
        recorder.flush()?;
        self.recorder = Some(recorder);
        Ok(())
    }

    /// Writes an event, and the answers that are needed to show it.
    fn keep(&mut self, event: &Event<'_>, tracker: &Tracker) {
        let Some(recorder) = &mut self.recorder else { return };
        let news = self.answers.about(event, tracker);
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
            count(self.before.calls + written.calls, "call", "calls"),
            bytes(self.before.bytes + written.bytes)
        );
        self.error = Some(ViewError::cut(error, message));
    }
}

/// The metadata of this run's recordings.
pub fn metadata(asking: &Asking, with: &Opening<'_>) -> Metadata {
    let (options, info) = (with.options, with.info.clone());
    Metadata {
        args: info.args,
        version: info.version,
        host: info.host,
        release: info.release,
        machine: info.machine,
        engine: info.engine,
        command: with.command,
        partial: info.partial,
        follows: info.follows,
        several: options.spec.follow || options.spec.attach.len() + usize::from(options.command.is_some()) > 1,
        whole_machine: options.spec.machine.is_some(),
        wall_offset: info.wall_offset as i64,
        started: info.started,
        // Names of threads may have been captured longer.
        text_limit: options.decoding.text as u64,
        elements_limit: options.decoding.elements() as u64,
        command_limit: start::command_text(options, with.needs) as u64,
        descriptors: asking.tells_descriptors(),
        dumps: !options.decoding.dump_read.is_empty() || !options.decoding.dump_write.is_empty(),
        names: asking.tells_names(),
        instruction_pointers: options.lines.leader.ip,
        stacks: with.needs.stacks,
        sources: with.needs.sources,
        cpu_times: with.cpu_times,
        library: !options.library.is_empty(),
        operations: options.spec.operations,
        waits: options.spec.waits,
        holds: with.needs.stacks && with.holds_program,
        changes: !options.spec.injections.is_empty(),
    }
}

/// The metadata of a copy.
pub fn copied(of: Metadata, with: &Opening<'_>) -> Metadata {
    // (Arguments may have been redacted.)
    let (args, left_out) = (with.info.args.clone(), !with.options.filters.shows_all_calls());
    Metadata { args, partial: of.partial || left_out, ..of }
}

impl View for Recording {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.keep(event, tracker);
        if self.age.is_some() && !matches!(event, Event::Idle) {
            self.at = event.at().filter(|at| *at > 0).unwrap_or(self.at);
            self.rotate(tracker);
        }
    }

    fn naming_call(&mut self, call: &Call, tracker: &Tracker) {
        self.keep(&Event::NamingCall(call), tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        if let Some(recorder) = &mut self.recorder {
            // The copy of a recording that breaks off breaks off as well.
            let finished = if self.answers.are_whole() { recorder.finish(end.lost) } else { recorder.flush() };
            self.target.written.set(recorder.written().bytes);
            if self.rotated > 0 {
                // The size and the calls of the run are not those of the file.
                self.target.written.set(0);
                let (name, kept) = (self.target.path.display(), self.rotated.min(self.keeps));
                self.remark = Some(format!(
                    "{name} is the latest of {} recordings, and {name}.1 to {name}.{kept} come before it; each is looked at with stride --replay",
                    u64::from(self.rotated) + 1
                ));
            }
            if let Err(error) = finished {
                self.failed(&error);
            }
        }
        String::new()
    }

    fn take_remark(&mut self) -> Option<String> {
        self.remark.take().filter(|_| self.tells)
    }

    fn take_error(&mut self) -> Option<ViewError> {
        self.error.take()
    }
}
