//! One run of Stride: the selected events of an engine go to the views.
//!
//! [`EventSource::open`] opens a recording, if one is replayed. [`Session::start`] starts the engine and opens the views, [`Session::step`] hands one
//! event to them, and [`Session::finish`] writes what comes at the end.

mod announce;
mod apart;
mod dispatch;
mod ended;
mod finish;
mod intervals;
mod losses;
mod observation;
mod opening;
mod run_info;
mod start;
mod strace_messages;
mod unmatched_filters;
mod views;

pub use apart::{Asks, MakeView};
pub use ended::Ended;
pub use observation::Observation;
pub use opening::{Before, Opener, Opening, PreparedView, Start};
pub use run_info::is_this_host;
pub use start::{EventSource, ViewPlan};

use anyhow::Result;
use dispatch::Dispatcher;
use ended::Next;
use stride_engine_base::Engine;
use stride_output::Interval;

/// A run that has begun.
pub struct Session {
    engine: Box<dyn Engine>,
    /// An interval that has ended. The engine's counts for it have yet to be taken.
    ended_interval: Option<Interval>,
    /// Everything that looks at events, which are borrowed from the engine.
    dispatcher: Dispatcher,
}

impl Session {
    /// Runs to the end.
    pub fn run(mut self) -> Result<Ended> {
        while self.step()? {}
        self.finish()
    }

    /// Waits for the next event, and hands it to the views that want it. False if there is none any more.
    pub fn step(&mut self) -> Result<bool> {
        let Session { engine, ended_interval, dispatcher } = self;
        if let Some(ended) = ended_interval.take() {
            dispatcher.merge(&engine.take_counted()?);
            dispatcher.interval(ended);
        }
        let Some(event) = engine.next()? else { return Ok(false) };
        *ended_interval = dispatcher.pass_time(&event);
        if dispatcher.event(event)? == Next::Stop {
            engine.stop();
        }
        engine.remarks().iter().for_each(|remark| dispatcher.complain(remark));
        if dispatcher.reaches_limit() && engine.interrupted().is_none() {
            dispatcher.tell_limit();
            engine.stop();
        }
        Ok(true)
    }
}
