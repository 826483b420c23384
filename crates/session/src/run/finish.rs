//! The end of a run: the views' last words, losses, and Stride's exit status.

use super::losses::Losses;
use super::unmatched_filters::UnmatchedFilters;
use super::{Ended, Session};
use crate::options::Output;
use crate::start::stacks;
use anyhow::Result;
use stride_filter::Quiet;

impl Session {
    /// Ends the engine, lets the views write what comes at the end, and says what was lost.
    pub fn finish(self) -> Result<Ended> {
        let Session { engine, dispatcher: mut run, .. } = self;
        if stride_engine_base::signal::is_time_over() {
            run.complain("The time of --for is over, tracees were detached");
        }
        let interrupted = engine.interrupted();
        let counted = engine.counted()?;
        let losses = Losses::of(&*engine);
        let ending = engine.ending();
        if run.options.debug {
            engine.costs().iter().for_each(|cost| run.complain(cost));
        }
        drop(engine);
        run.merge(&counted);
        if let Some(last) = run.intervals.as_ref().map(|(intervals, _)| intervals.last()) {
            run.interval(last);
        }
        match &ending {
            Ok(Some(cut)) => run.views.note(cut),
            Err(broken) => run.views.note(&broken.to_string()),
            Ok(None) => {}
        }
        let with_source = |frame: &_| stacks::with_source(run.observation.stacks.as_ref(), frame);
        let verdict = run.views.finish(&losses, &with_source, &mut run.outputs);
        let calls = run.views.calls();
        // The output command ends when the last handle to its input is closed.
        drop(run.views);
        run.outputs.close();
        losses.report(&run.options, &run.outputs);
        let unsure = run.observation.selector.uncertainty();
        let scripts = run.observation.stacks.as_ref().and_then(|stacks| stacks::unsupported_scripts(&stacks.borrow()));
        for message in run.unmatched.as_ref().map(UnmatchedFilters::at_end).into_iter().chain(unsure).chain(scripts) {
            run.outputs.complain(&message);
        }
        if let Some(cut) = ending? {
            run.outputs.complain(&cut);
        }
        // Nothing but JSON goes to an output of JSON lines.
        let among_json = run.options.json && matches!(run.options.output, Output::Stderr);
        if !run.options.is_quiet(Quiet::Files) && !among_json {
            run.notices.sentences(calls).iter().for_each(|sentence| run.outputs.complain(sentence));
        }
        Ok(match (interrupted, verdict) {
            (Some(signal), _) => Ended::Signaled(signal),
            (None, Some(status)) => Ended::Exited(status),
            (None, None) => run.ended,
        })
    }
}
