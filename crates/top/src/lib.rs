//! `--top`: a live view of the machine or of a program.
//!
//! The main thread runs the engine, which counts calls in the kernel where it can, and sends a sample each second to a thread that draws and
//! reads keys. What is shown is a pure function (`screen::draw`) of the `model`, and `input::keys` change the model. Tables and filters that need single
//! calls have another Stride look at them (`helper`), only while they are shown. Threads that wait are looked at in /proc
//! (`lookup::wait_source`), also only while their table is shown.

mod helper;
mod input;
mod lookup;
mod model;
mod run;
mod screen;
#[cfg(test)]
mod tests;

use anyhow::Result;
use helper::shared_options::SharedOptions;
use lookup::families::TracedProcesses;
use model::Model;
use run::terminal::OwnTerminal;
use run::ui::{Signals, Ui};
use run::view::TopView;
use screen::colors::TopColors;
use screen::curve::CurveGlyphs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;
use stride_event::{CountBy, Counting, Machine};
use stride_output::{View, shown};
use stride_session::{Needs, Opening, Options};

/// The length of the intervals that are shown.
const EVERY: Duration = Duration::from_secs(1);

/// The live view before the engine is started.
pub struct Top {
    stage: OwnTerminal,
}

impl Top {
    /// The data that the engine and the tracker must provide for the live view.
    pub fn needs(options: &Options) -> Needs {
        let by = CountBy { syscall: true, pid: true, comm: true, errno: true, ..CountBy::default() };
        let counting = Counting {
            only: true,
            cpu_time: false,
            estimated: false,
            latencies: false,
            bytes: true,
            by,
            intervals: true,
        };
        Needs {
            // (The kernel side does not join waits with calls.)
            calls: options.spec.waits,
            counting: (!options.spec.waits).then_some(counting),
            memory: true,
            received: true,
            times: true,
            tracker: true,
            thread_names: true,
            every: Some(EVERY),
            ..Needs::default()
        }
    }

    /// Looks for a terminal. `output` is the file for the output of the command, if one is started.
    pub fn prepare(options: &Options, output: Option<&Path>) -> Result<Top> {
        Ok(Top { stage: OwnTerminal::prepare(options.command.is_some(), output)? })
    }

    /// Takes the terminal, and starts the thread that draws.
    pub fn open(self, with: &mut Opening<'_>) -> Result<Box<dyn View>> {
        open(self.stage, with)
    }
}

fn open(mut stage: OwnTerminal, with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    let options = with.options;
    let replays = options.replay.is_some();
    let subject = subject(options);
    let (send, messages) = channel();
    let shared = SharedOptions::new(options, with.command);
    let signals = Signals::watch()?;
    let terminal = stage.begin()?;
    // The view has no other place than the terminal.
    let colors = TopColors { on: options.color.is_wanted(true) };
    ratatui::crossterm::style::force_color_output(colors.on);
    let only_seen = options.spec.machine.as_ref().is_some_and(|machine| *machine != Machine::default());
    let traced = traced(options, with.command);
    let measured = options.spec.waits;
    let ui = move || {
        let mut model = Model::new(subject, replays);
        (model.colors, model.glyphs, model.only_seen) = (colors, CurveGlyphs::of_environment(), only_seen);
        model.measured = measured;
        Ui { terminal, model, messages, shared, signals, source: None, recorder: None, traced, wait_lookup: None }
    };
    Ok(Box::new(TopView::start(ui, send, stage, replays)?))
}

/// The processes that are traced.
fn traced(options: &Options, command: Option<i32>) -> TracedProcesses {
    let pids: Vec<i32> = command.into_iter().chain(options.spec.attach.iter().copied()).collect();
    match pids.is_empty() {
        true => TracedProcesses::Machine,
        false => TracedProcesses::Processes { pids, and_descendants: options.spec.follow },
    }
}

/// The subject of the view in words: the machine, a program, or a recording.
fn subject(options: &Options) -> String {
    if let Some(file) = &options.replay {
        return shown(file.as_os_str().as_bytes());
    }
    match &options.command {
        Some(command) => shown(command.program.as_bytes()),
        None if !options.spec.attach.is_empty() => {
            let pids: Vec<String> = options.spec.attach.iter().map(ToString::to_string).collect();
            format!("process {}", pids.join(", "))
        }
        None => "the machine".into(),
    }
}
