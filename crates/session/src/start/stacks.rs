//! The stacks of calls (`-k`, and views and filters that need them), and samples of them for views that tell which functions make calls.

use crate::options::Options;
use crate::start::Needs;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{StackFrame, StackRate};
use stride_stacks::{Fetch, StackDetail, Stacks};

/// Makes stacks for the engine, if a view needs them. A recording has its own.
pub fn live(options: &Options, needs: &Needs, debug_servers: Option<Box<Fetch>>) -> Option<Rc<RefCell<Stacks>>> {
    if needs.stack_rate() == StackRate::None || options.replay.is_some() {
        return None;
    }
    let mut stacks = Stacks::new(StackDetail { frames: options.stack_trace_frame_limit, source: needs.sources });
    if let Some(fetch) = debug_servers {
        stacks.fetch_debug_files_with(fetch);
    }
    Some(Rc::new(RefCell::new(stacks)))
}

/// A sentence about scripts whose functions are missing from stacks, because the version of what runs them is not known.
pub fn unsupported_scripts(stacks: &Stacks) -> Option<String> {
    let versions: Vec<_> = stacks.unsupported().collect();
    (!versions.is_empty()).then(|| {
        format!(
            "Stacks lack the functions of scripts that {} runs: Stride does not know where this version keeps them",
            versions.join(", and those that ")
        )
    })
}

/// Finds the line of a frame. Without stacks of this run, a frame has the line that it was recorded with.
pub fn with_source(stacks: Option<&Rc<RefCell<Stacks>>>, frame: &Arc<StackFrame>) -> Arc<StackFrame> {
    stacks.map_or_else(|| frame.clone(), |stacks| stacks.borrow().with_source(frame))
}
