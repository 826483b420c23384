//! The messages between the start of the engine and the first event.

use crate::options::{Daemonize, Options};
use crate::outputs::Outputs;
use crate::selection;
use crate::start::{Chosen, Needs};
use stride_engine_base::Engine;

/// Details for debugging Stride (`-d`).
pub fn details(options: &Options, needs: &Needs, chosen: &Chosen, outputs: &Outputs) {
    if !options.debug {
        return;
    }
    let early = options.replay.is_none() && !needs.all_calls && !options.filters.switches();
    let name = chosen.engine.capabilities().name;
    for fact in selection::facts(options, name, early).iter().chain(&chosen.facts()) {
        outputs.complain(fact);
    }
    if options.spec.daemonize != Daemonize::No {
        outputs.complain(&format!("new tracer pid is {}", std::process::id()));
    }
}

/// The processes that could not be attached to.
pub fn failures(options: &Options, engine: &dyn Engine, outputs: &Outputs) {
    let failures = engine.failures();
    failures.iter().for_each(|failure| outputs.complain(&failure.to_string()));
    if let (Some(command), true) =
        (&options.command, failures.len() >= options.spec.attach.len() && !options.spec.attach.is_empty())
    {
        let name = command.program.to_string_lossy();
        outputs.complain(&format!(
            "Only the command '{name}' is traced. (All that follows the first word without a dash is the command.)"
        ));
    }
}
