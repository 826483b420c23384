//! A recording in place of an engine.

use crate::os_error;
use crate::threads;
use anyhow::{Result, anyhow};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use stride_engine_base::signal::without_signals;
use stride_engine_base::{Capabilities, Engine, EngineError};
use stride_event::quantity::count;
use stride_event::{Event, Lost, Tid};
use stride_output::progress::Progress;
use stride_proc::{ReplaySource, ended};
use stride_record::{Ending, Metadata, OpenError, Reader, Recorded};

pub struct Replay {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    /// The recorded answers.
    answers: Rc<ReplaySource>,
    /// The thread whose end was shown last.
    ended: Option<Tid>,
    /// The size in bytes, if the recording is a regular file.
    size: Option<u64>,
    progress: Option<Progress>,
    stopped: bool,
}

impl Replay {
    pub fn open(path: &Path) -> Result<Replay> {
        Replay::open_for("--replay", "replay", path)
    }

    /// Opens the recording for `option`. The error says that `purpose` is impossible.
    pub fn open_for(option: &str, purpose: &str, path: &Path) -> Result<Replay> {
        let cannot = |why: &dyn std::fmt::Display| anyhow!("Can't {purpose} '{}': {why}.", path.display());
        let file = File::open(path).map_err(|e| cannot(&os_error(&e)))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(cannot(&"it is a directory"));
        }
        let size = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
        let reader = Reader::open(BufReader::new(file)).map_err(|e| match e {
            OpenError::Foreign => cannot(&format_args!("{e}. {option} takes what --record=FILE wrote")),
            e => cannot(&e),
        })?;
        let reader = if threads::pay() { without_signals(|| reader.read_ahead()) } else { reader };
        Ok(Replay {
            path: path.to_owned(),
            reader,
            answers: Rc::default(),
            ended: None,
            size,
            progress: None,
            stopped: false,
        })
    }

    /// Shows progress on the terminal if reading takes long. Nothing but messages may be written there meanwhile.
    pub fn show_progress(&mut self) {
        self.progress = self.size.and_then(|size| Progress::new(&format!("reading {}", self.path.display()), size));
    }

    pub fn metadata(&self) -> &Metadata {
        self.reader.metadata()
    }

    pub fn answers(&self) -> Rc<ReplaySource> {
        self.answers.clone()
    }

    fn describe(&self) -> String {
        let it = self.metadata();
        let args: Vec<_> = it.args.iter().map(|arg| arg.to_string_lossy()).collect();
        format!(
            "replay: {} on {} (Linux {} {}), engine {}, Stride {}",
            args.join(" ").escape_debug(),
            it.host.escape_debug(),
            it.release.escape_debug(),
            it.machine.escape_debug(),
            it.engine.escape_debug(),
            it.version.escape_debug()
        )
    }
}

impl Engine for Replay {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            name: "replay",
            holds_program: false,
            cpu_times: self.metadata().cpu_times,
            counts: false,
            filters_returns: false,
            adds: 0,
            seccomp: false,
            kill_on_exit: false,
            stacks: true,
            machine: false,
            library: false,
            operations: false,
            waits: false,
            injections: false,
            vcpus: false,
        }
    }

    fn next(&mut self) -> Result<Option<Event<'_>>, EngineError> {
        if let Some(tid) = self.ended.take() {
            self.answers.forget(tid);
        }
        if let Some(progress) = &mut self.progress {
            progress.at(self.reader.offset());
        }
        while let Some(fact) = self.reader.next_fact() {
            self.answers.set(fact);
        }
        if self.stopped {
            return Ok(None);
        }
        if let Some(ending) = self.reader.ending() {
            if matches!(ending, Ending::Whole(_)) {
                self.answers.ends();
            }
            return Ok(None);
        }
        // (All facts before the event have been taken.)
        let Some(Recorded::Event(event)) = self.reader.next_item() else { return Ok(None) };
        self.ended = ended(&event);
        Ok(Some(event))
    }

    fn stop(&mut self) {
        self.stopped = true;
    }

    /// The losses during the recording.
    fn lost(&self) -> Lost {
        match self.reader.ending() {
            Some(Ending::Whole(totals)) => totals.lost,
            _ => Lost::default(),
        }
    }

    fn facts(&self) -> Vec<String> {
        vec![self.describe()]
    }

    fn ending(&self) -> Result<Option<String>, EngineError> {
        let (events, calls) = self.reader.read();
        let shown = format!(
            "the part before was shown: {}, {}",
            count(calls, "call", "calls"),
            count(events, "event", "events")
        );
        let path = self.path.display();
        match self.reader.ending() {
            Some(Ending::Cut { offset }) => Ok(Some(format!(
                "'{path}' breaks off at byte {offset}, as when the recorder is killed or the disk is full; {shown}"
            ))),
            Some(Ending::Broken { offset, why }) => {
                Err(EngineError::new(format!("'{path}' is broken at byte {offset}: {why}; {shown}.")))
            }
            Some(Ending::Io(error)) => {
                Err(EngineError::new(format!("Can't read '{path}' any further: {}; {shown}.", os_error(error))))
            }
            Some(Ending::Whole(_)) | None => Ok(None),
        }
    }
}
