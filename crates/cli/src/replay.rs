//! `--replay`: a recording in an engine's place.

use crate::command::os_error;
use anyhow::{Result, anyhow};
use std::fs::File;
use std::io::{BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use stride_event::{Event, Tid};
use stride_output::grouped;
use stride_proc::{Told, ended};
use stride_record::{Ending, Metadata, Reader};

pub struct Replay {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    /// What was found out of the world when it was recorded.
    told: Rc<Told>,
    /// The thread whose end was shown last.
    ended: Option<Tid>,
    progress: Option<Progress>,
    stopped: bool,
}

impl Replay {
    pub fn open(path: &Path) -> Result<Replay> {
        Replay::open_to("replay", path)
    }

    /// `purpose` is what cannot be done if it cannot be opened.
    pub fn open_to(purpose: &str, path: &Path) -> Result<Replay> {
        let cannot = |why: &dyn std::fmt::Display| anyhow!("Can't {purpose} '{}': {why}.", path.display());
        let file = File::open(path).map_err(|e| cannot(&os_error(&e)))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(cannot(&"it is a directory"));
        }
        let size = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
        let reader = Reader::open(BufReader::new(file)).map_err(|e| cannot(&e))?;
        Ok(Replay {
            path: path.to_owned(),
            reader,
            told: Rc::default(),
            ended: None,
            progress: size.and_then(Progress::new),
            stopped: false,
        })
    }

    pub fn metadata(&self) -> &Metadata {
        self.reader.metadata()
    }

    pub fn told(&self) -> Rc<Told> {
        self.told.clone()
    }

    pub fn next(&mut self) -> Option<Event<'_>> {
        if let Some(tid) = self.ended.take() {
            self.told.forget(tid);
        }
        if let Some(progress) = &mut self.progress {
            progress.at(self.reader.offset());
        }
        while let Some(fact) = self.reader.next_fact() {
            self.told.tell(fact);
        }
        if self.stopped {
            return None;
        }
        let event = self.reader.next_event()?;
        self.ended = ended(&event);
        Some(event)
    }

    pub fn stop(&mut self) {
        self.stopped = true;
    }

    pub fn describe(&self) -> String {
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

    /// Calls, and threads coming and going, that the recorder had lost.
    pub fn lost(&self) -> (u64, u64) {
        match self.reader.ending() {
            Some(Ending::Whole(totals)) => (totals.lost_calls, totals.unseen_threads),
            _ => (0, 0),
        }
    }

    /// What is wrong with how the recording ended: something to know, or an error.
    pub fn ending(&self) -> Result<Option<String>> {
        let (events, calls) = self.reader.read();
        let shown = format!("what is before that was shown: {} calls, {} events", grouped(calls), grouped(events));
        let path = self.path.display();
        match self.reader.ending() {
            Some(Ending::Cut { offset }) => Ok(Some(format!(
                "'{path}' breaks off at byte {offset}, as when the recorder is killed or the disk is full; {shown}"
            ))),
            Some(Ending::Broken { offset, why }) => {
                Err(anyhow!("'{path}' is broken at byte {offset}: {why}; {shown}."))
            }
            Some(Ending::Io(error)) => Err(anyhow!("Can't read '{path}' any further: {}; {shown}.", os_error(error))),
            Some(Ending::Whole(_)) | None => Ok(None),
        }
    }
}

/// How far it is, on a terminal where nothing else can be seen of it.
struct Progress {
    size: u64,
    began: Instant,
    events: u32,
    shown: Option<Instant>,
}

impl Progress {
    fn new(size: u64) -> Option<Progress> {
        let seen = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        seen.then(|| Progress { size: size.max(1), began: Instant::now(), events: 0, shown: None })
    }

    fn at(&mut self, offset: u64) {
        self.events = self.events.wrapping_add(1);
        if !self.events.is_multiple_of(1024) || self.began.elapsed() < Duration::from_secs(1) {
            return;
        }
        if self.shown.is_none_or(|shown| shown.elapsed() > Duration::from_millis(100)) {
            self.shown = Some(Instant::now());
            let _ = write!(std::io::stderr(), "\rreplaying: {:3} %", offset.min(self.size) * 100 / self.size);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(std::io::stderr(), "\r                \r");
        }
    }
}
