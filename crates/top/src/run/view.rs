//! The view on the main thread: takes calls and counts, and hands them to the thread that draws.

use crate::run::sampler::Sampler;
use crate::run::terminal::OwnTerminal;
use crate::run::ui::{Departure, Ui, UiMessage};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use stride_engine_base::signal;
use stride_event::{Counted, Event};
use stride_output::{End, Interval, View};
use stride_track::Tracker;

/// The time for the end of the thread that draws: it may have to end a recording.
const PATIENCE: Duration = Duration::from_secs(8);
const SHORT: Duration = Duration::from_millis(5);
/// The time between two checks of the main thread for a signal, while the user reads the result.
const LOOK: Duration = Duration::from_millis(50);

pub struct TopView {
    sampler: Sampler,
    send: Sender<UiMessage>,
    ui: Option<JoinHandle<Departure>>,
    stage: OwnTerminal,
    replays: bool,
}

impl TopView {
    /// `ui` is made in the thread that runs it.
    pub fn start(
        ui: impl FnOnce() -> Ui + Send + 'static,
        send: Sender<UiMessage>,
        stage: OwnTerminal,
        replays: bool,
    ) -> std::io::Result<TopView> {
        let run = move || {
            let left = ui().run();
            crate::run::ui::leave(left);
            left
        };
        let ui = signal::without_signals(|| std::thread::Builder::new().name("stride-top".into()).spawn(run))?;
        Ok(TopView { sampler: Sampler::default(), send, ui: Some(ui), stage, replays })
    }

    /// Lets the user look at the result. Signals end that, which the engine does not watch any more.
    fn linger(&mut self) {
        let flags: Vec<(i32, Arc<AtomicBool>)> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().map(|signal| (signal, Arc::new(AtomicBool::new(false)))).collect();
        for (signal, flag) in &flags {
            let _ = signal_hook::flag::register(*signal, flag.clone());
        }
        let _ = self.send.send(UiMessage::Ended);
        while self.ui.as_ref().is_some_and(|ui| !ui.is_finished()) {
            if let Some((signal, _)) = flags.iter().find(|(_, flag)| flag.load(Ordering::Relaxed)) {
                let _ = self.send.send(UiMessage::Over);
                self.join();
                signal::die_of(*signal);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn join(&mut self) {
        let Some(ui) = self.ui.take() else { return };
        // A thread that hangs, for instance in a terminal that does not answer, keeps nobody from ending.
        let begun = Instant::now();
        while !ui.is_finished() && begun.elapsed() < PATIENCE {
            std::thread::sleep(SHORT);
        }
        if !ui.is_finished() || ui.join().is_err() {
            // The panic's message is among the messages that were held back.
            crate::run::terminal::give_back();
        }
    }
}

impl View for TopView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        match event {
            Event::Exit(call) => self.sampler.call_returned(call, tracker),
            Event::Library(call) if call.operation.is_some() => self.sampler.operation_ended(call, tracker),
            _ => {}
        }
    }

    fn merge(&mut self, counted: &[Counted]) {
        counted.iter().for_each(|counted| self.sampler.counted(counted));
    }

    fn interval(&mut self, ended: Interval, _: &Tracker) -> String {
        let sent = self.send.send(UiMessage::Sample(self.sampler.take(ended.length())));
        if sent.is_err() && !self.replays {
            // The thread that draws has failed.
            signal::end_now();
        }
        String::new()
    }

    fn finish(&mut self, _: &End<'_>) -> String {
        if signal::caught().is_none() && !signal::is_over() {
            self.linger();
        }
        let _ = self.send.send(UiMessage::Over);
        self.join();
        self.stage.end();
        String::new()
    }
}
