//! Messages about tracees that strace writes to stderr, not to the trace.

use super::views::Views;
use crate::options::{Daemonize, Options, Output};
use crate::outputs::Outputs;
use stride_event::{Event, Fate, StartKind};
use stride_filter::Quiet;

/// Reports an event for which there is a message.
pub fn report(event: &Event<'_>, options: &Options, views: &mut Views, outputs: &Outputs) {
    if let Some(message) = message(event, options, outputs) {
        if matches!(options.output, Output::Stderr) {
            views.flush();
        }
        outputs.complain(&message);
    }
}

fn message(event: &Event<'_>, options: &Options, outputs: &Outputs) -> Option<String> {
    if options.json && matches!(event, Event::Started { .. } | Event::Detached { .. }) {
        // In JSON, these messages are objects of the trace.
        return None;
    }
    let quiet = |message| options.is_quiet(message);
    match *event {
        Event::Started { origin: StartKind::Spawned, .. } if options.spec.daemonize == Daemonize::No => None,
        Event::Started { tid, .. } if !quiet(Quiet::Attach) => Some(format!("Process {tid} attached")),
        Event::Detached { tid, .. } if !quiet(Quiet::Attach) => Some(format!("Process {tid} detached")),
        Event::Stranger { tid, .. } if outputs.is_own_child(tid) => None,
        Event::Stranger { tid, fate: Fate::Detached } if !quiet(Quiet::Attach) => {
            Some(format!("Detached unknown pid {tid}"))
        }
        Event::Stranger { tid, fate: Fate::Exited } if !quiet(Quiet::Exit) => {
            Some(format!("Exit of unknown pid {tid} ignored"))
        }
        Event::Stranger { tid, fate: Fate::Killed } if !quiet(Quiet::Exit) => {
            Some(format!("Termination of unknown pid {tid} ignored"))
        }
        _ => None,
    }
}
