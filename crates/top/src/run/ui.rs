//! The thread that draws and reads keys. The main thread takes events from the engine meanwhile, and sends samples.

use crate::helper::process::{HelperProcess, recording_name};
use crate::helper::shared_options::SharedOptions;
use crate::helper::summaries::{HelperOutput, SummarySource};
use crate::input::keys::{Action, handle};
use crate::lookup::families::{ProcessFamilies, TracedProcesses};
use crate::lookup::wait_source::WaitSource;
use crate::model::Model;
use crate::model::sample::Sample;
use crate::model::tables::Tab;
use crate::run::terminal;
use crate::screen::draw::{draw, table_height};
use anyhow::Result;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::layout::Position;
use signal_hook::consts::{SIGCONT, SIGTSTP};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use stride_engine_base::{procfs, signal};
use stride_output::shown;

/// The time that a sample waits to be drawn.
const PATIENCE: Duration = Duration::from_millis(200);

/// At most this many processes go onto the command line of another Stride.
const MOST_RELATIVES: usize = 4096;

/// From the main thread.
pub enum UiMessage {
    Sample(Sample),
    /// The program, or the recording, has ended.
    Ended,
    /// The view has to go.
    Over,
}

/// How the user left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    Quit,
    Interrupt,
    /// The main thread said so.
    Told,
}

pub struct Ui {
    pub terminal: Terminal<CrosstermBackend<File>>,
    pub model: Model,
    pub messages: Receiver<UiMessage>,
    pub shared: SharedOptions,
    pub signals: Signals,
    pub source: Option<SummarySource>,
    pub recorder: Option<HelperProcess>,
    /// The processes that are traced.
    pub traced: TracedProcesses,
    pub wait_lookup: Option<WaitSource>,
}

/// Set by signals, which come to the main thread.
#[derive(Default)]
pub struct Signals {
    continued: Arc<AtomicBool>,
    suspend: Arc<AtomicBool>,
}

impl Signals {
    pub fn watch() -> Result<Signals> {
        let signals = Signals::default();
        signal_hook::flag::register(SIGCONT, signals.continued.clone())?;
        signal_hook::flag::register(SIGTSTP, signals.suspend.clone())?;
        Ok(signals)
    }
}

impl Ui {
    pub fn run(mut self) -> Departure {
        // A failure of the terminal, such as that it is gone, is no reason to go on.
        let left = self.attend();
        self.source = None;
        terminal::give_back();
        // Messages are held back until the main thread has come to its end.
        if let Some(messages) = self.recorder.take().map(|mut recorder| recorder.end()) {
            eprintln!("{messages}");
        }
        left.unwrap_or_else(|error| {
            eprintln!("--top ends: the terminal fails: {error}");
            Departure::Quit
        })
    }

    fn attend(&mut self) -> Result<Departure> {
        self.draw()?;
        loop {
            let mut changed = false;
            terminal::wait_for_keys(PATIENCE)?;
            while event::poll(Duration::ZERO)? {
                match event::read()? {
                    Event::Key(key) if key.kind != KeyEventKind::Release => {
                        let height = self.terminal.size()?.height;
                        match handle(&mut self.model, key, height) {
                            Action::None => {}
                            Action::Quit => return Ok(Departure::Quit),
                            Action::Interrupt => return Ok(Departure::Interrupt),
                            Action::Suspend => self.signals.suspend.store(true, Ordering::Relaxed),
                            Action::Redraw => self.redraw()?,
                            Action::Record => self.record(),
                        }
                        changed = true;
                    }
                    Event::Resize(..) => changed = true,
                    _ => {}
                }
            }
            if self.signals.suspend.swap(false, Ordering::Relaxed) {
                terminal::give_back();
                signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                self.signals.continued.store(true, Ordering::Relaxed);
            }
            if self.signals.continued.swap(false, Ordering::Relaxed) {
                terminal::take()?;
                self.redraw()?;
                changed = true;
            }
            loop {
                match self.messages.try_recv() {
                    Ok(UiMessage::Sample(sample)) => {
                        let name = self.names();
                        self.model.count(sample, name);
                        self.look_at_processes()?;
                    }
                    Ok(UiMessage::Ended) => {
                        self.model.ended = true;
                        self.model.totals = true;
                    }
                    Ok(UiMessage::Over) | Err(TryRecvError::Disconnected) => return Ok(Departure::Told),
                    Err(TryRecvError::Empty) => break,
                }
                changed = true;
            }
            changed |= self.detail();
            changed |= self.waits();
            if changed {
                self.draw()?;
            }
        }
    }

    /// Finds the names of processes. Those of a recording have none any more.
    fn names(&self) -> impl Fn(i32) -> Option<Arc<str>> + use<> {
        let replays = self.shared.replays;
        move |pid| {
            let name = (!replays).then(|| std::fs::read(procfs::path(pid, "comm")).ok()).flatten()?;
            Some(shown(name.trim_ascii_end()).into())
        }
    }

    /// Looks at the processes of the table, those first that are to be seen.
    fn look_at_processes(&mut self) -> Result<()> {
        let model = &mut self.model;
        if model.screen().tab != Tab::Processes || !model.live || model.paused {
            return Ok(());
        }
        let lines = model.lines();
        let visible = table_height(model, self.terminal.size()?.height);
        let (before, rest) = lines.split_at(model.screen().first.min(lines.len()));
        let pids: Vec<i32> = rest.iter().chain(before).map(|line| line.key.pid).collect();
        model.processes.look(&pids, visible);
        Ok(())
    }

    /// Has the threads that wait looked at while their table is shown, or can be gone back to, and takes what came. Tells whether anything
    /// changed.
    fn waits(&mut self) -> bool {
        let wanted = self.model.live && self.model.has_waits();
        let of = self.traced.and(self.model.screen().scope.pid);
        match &self.wait_lookup {
            Some(wait_lookup) if wanted => wait_lookup.look_at(of),
            Some(_) => {
                self.wait_lookup = None;
                self.model.waiting = None;
            }
            None if wanted => match WaitSource::start(of) {
                Ok(wait_lookup) => self.wait_lookup = Some(wait_lookup),
                Err(e) => self.model.message = Some(format!("Can't look at threads that wait: {e}")),
            },
            None => {}
        }
        match self.wait_lookup.as_mut().and_then(WaitSource::news) {
            Some(threads) if !self.model.paused => {
                self.model.waiting = Some(threads);
                true
            }
            _ => false,
        }
    }

    /// Has everything drawn anew. (`Terminal::clear` would ask the terminal for its cursor.)
    fn redraw(&mut self) -> Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize((Position::ORIGIN, size).into())?;
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let lines = self.model.lines();
        let height = self.terminal.size()?.height;
        let rows = table_height(&self.model, height);
        self.model.scroll(&lines, rows);
        self.terminal.draw(|frame| draw(&self.model, &lines, frame))?;
        Ok(())
    }

    /// The processes that the traced ones have started by now: another Stride would only follow later ones. Children from before Stride
    /// attached to their parent are not traced, so they count if they were seen.
    fn family(&self) -> Vec<i32> {
        match &self.traced {
            TracedProcesses::Processes { and_descendants: true, .. } if self.model.live => {
                let is_traced = |pid: &i32| self.shared.command.is_some() || self.model.knows(*pid);
                let family = ProcessFamilies::now().wanted(&self.traced);
                family.into_iter().filter(is_traced).take(MOST_RELATIVES).collect()
            }
            _ => Vec::new(),
        }
    }

    /// True if the process of the table has ended.
    fn is_gone(&self) -> bool {
        self.model.screen().scope.pid.is_some_and(|pid| !procfs::exists(pid))
    }

    /// Has single calls looked at if the table needs that, and takes what came. Tells whether anything changed.
    fn detail(&mut self) -> bool {
        let wanted = self.model.detail_wanted();
        if self.source.as_ref().map(|source| &source.wanted) != wanted.as_ref() {
            self.source = None;
            if let Some(wanted) = wanted {
                match SummarySource::start(&self.shared, wanted, &self.family()) {
                    Ok(source) => self.source = Some(source),
                    Err(e) => self.model.message = Some(format!("Can't look at single calls: {e}")),
                }
            }
            return true;
        }
        let mut changed = false;
        while let Some(news) = self.source.as_mut().and_then(SummarySource::news) {
            changed = true;
            match news {
                HelperOutput::Sample(sample) => {
                    let name = self.names();
                    self.model.count_detail(sample, name);
                }
                HelperOutput::Ended(_) if self.shared.replays => {}
                HelperOutput::Ended(why) if why.is_empty() || self.is_gone() => {
                    self.model.message = Some("The processes of this table have ended; Esc goes back.".into());
                }
                HelperOutput::Ended(why) => self.model.message = Some(why),
            }
        }
        if let Some(why) = self.recorder.as_mut().and_then(HelperProcess::ended) {
            self.recorder = None;
            self.model.recording = None;
            self.model.message = Some(why);
            changed = true;
        }
        changed
    }

    fn record(&mut self) {
        if let Some(mut recorder) = self.recorder.take() {
            self.model.recording = None;
            self.model.message = Some(recorder.end());
            return;
        }
        if self.shared.replays {
            self.model.message =
                Some("This is a recording already: filters of --replay and --record make a smaller one of it.".into());
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let name = recording_name(now, |name| Path::new(name).exists());
        let (pid, conditions) = self.model.seen();
        match HelperProcess::record(&self.shared.recording(pid, &conditions, Path::new(&name), &self.family())) {
            Ok(recorder) => {
                self.recorder = Some(recorder);
                self.model.recording = Some(name.to_string_lossy().into_owned());
            }
            Err(e) => self.model.message = Some(format!("Can't begin a recording: {e}")),
        }
    }
}

/// Ends tracing as the user wishes.
pub fn leave(left: Departure) {
    match left {
        Departure::Quit => signal::end_now(),
        Departure::Interrupt => _ = nix::sys::signal::kill(nix::unistd::getpid(), nix::sys::signal::Signal::SIGINT),
        Departure::Told => {}
    }
}
