//! Each event on its way: to the sources of answers, the selection, the tracker and the views.

use super::ended::{Ended, Next};
use super::intervals::{IntervalClock, Intervals};
use super::observation::Observation;
use super::strace_messages;
use super::unmatched_filters::UnmatchedFilters;
use super::views::Views;
use crate::options::Options;
use crate::outputs::{CompletionNotices, Outputs};
use anyhow::{Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use stride_event::{CallSet, Counted, Event, StartKind, Tid};
use stride_output::{Interval, ViewError};

pub struct Dispatcher {
    pub options: Options,
    pub outputs: Outputs,
    pub observation: Observation,
    pub views: Views,
    pub intervals: Option<(Intervals, IntervalClock)>,
    /// The filters of the machine, until a thread passes them.
    pub unmatched: Option<UnmatchedFilters>,
    /// Calls that name what a thread runs. The tracker sees them although the filters leave them out.
    pub naming: CallSet,
    pub notices: CompletionNotices,
    /// A view goes on after the reader of the trace has left.
    pub outlives_trace: bool,
    /// The command that was started.
    pub command: Option<Tid>,
    /// How the command ended.
    pub ended: Ended,
    /// Calls that returned and were shown.
    pub shown: u64,
    /// `shown` has reached `--syscall-limit`.
    pub limit_reported: bool,
}

impl Dispatcher {
    pub fn complain(&self, message: &str) {
        self.outputs.complain(message);
    }

    /// Ends the intervals that were over before this event. Returns one for which the engine has the counts.
    pub fn pass_time(&mut self, event: &Event<'_>) -> Option<Interval> {
        let (intervals, clock) = self.intervals.as_mut()?;
        let ended = intervals.ended(event);
        if *clock == IntervalClock::Now {
            return ended[0];
        }
        ended.into_iter().flatten().for_each(|ended| self.interval(ended));
        None
    }

    pub fn interval(&mut self, ended: Interval) {
        self.views.interval(ended, &mut self.outputs);
    }

    pub fn merge(&mut self, counted: &[Counted]) {
        self.views.merge(counted);
    }

    pub fn event(&mut self, event: Event<'_>) -> Result<Next> {
        if !self.observation.note(&event) {
            return Ok(Next::Continue);
        }
        // Events that were already queued when the limit was reached are not shown. Under an engine that does not stop
        // tracees, they run ahead of the trace.
        if self.limit_reported && !matches!(event, Event::Detached { .. }) {
            return Ok(Next::Continue);
        }
        // The end of the command decides Stride's exit status.
        self.ended = Ended::of(self.command, &event).unwrap_or(self.ended);
        self.look_for_threads(&event);
        self.views.track(&event);
        strace_messages::report(&event, &self.options, &mut self.views, &self.outputs);
        self.show(event);
        let next = match self.views.take_error() {
            Some(error) => self.view_failed(error, &event)?,
            None => Next::Continue,
        };
        while let Some(remark) = self.views.take_remark() {
            self.complain(&remark);
        }
        Ok(next)
    }

    /// Says at the first quiet moment that no thread passes the machine's filters.
    fn look_for_threads(&mut self, event: &Event<'_>) {
        if UnmatchedFilters::is_refuted_by(event) {
            self.unmatched = None;
        } else if let Some(message) = self.unmatched.as_mut().and_then(UnmatchedFilters::at_once) {
            self.complain(&message);
        }
    }

    fn show(&mut self, event: Event<'_>) {
        if let Some(event) = self.observation.selector.select(event) {
            self.shown += u64::from(matches!(event, Event::Exit(_)));
            self.views.event(&event);
        } else if let Event::Enter(call) | Event::Exit(call) = event {
            self.views.left_out(call);
            if matches!(event, Event::Exit(_)) && self.naming.contains(call.abi, call.nr) {
                self.views.naming_call(call);
            }
        }
    }

    /// The run goes on for other views, unless the trace is all there is.
    fn view_failed(&self, error: ViewError, event: &Event<'_>) -> Result<Next> {
        let replays = self.options.replay.is_some();
        if let (&Event::Started { tid, origin: StartKind::Spawned, .. }, false, true) =
            (event, replays, error.is_unopened())
        {
            // The command's own output file could not be opened. Nothing has run yet, so the command is killed.
            let _ = nix::sys::signal::kill(Pid::from_raw(tid), Signal::SIGKILL);
            bail!(error);
        }
        if !replays || !error.is_closed_pipe() {
            self.complain(&error.to_string());
        }
        Ok(if replays && !self.outlives_trace { Next::Stop } else { Next::Continue })
    }

    /// True if `--syscall-limit` is reached, and the message about it has not been written.
    pub fn reaches_limit(&self) -> bool {
        !self.limit_reported && self.options.syscall_limit.is_some_and(|limit| self.shown >= limit)
    }

    pub fn tell_limit(&mut self) {
        self.limit_reported = true;
        self.complain("System call limit has been reached, detaching tracees");
    }
}
