//! The stacks of calls (`-k`), and samples of them for views that tell which functions make calls.

use crate::flags::Options;
use crate::views::Needs;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{StackFrame, StackRate};
use stride_output::ShowStack;
use stride_stacks::{StackDetail, Stacks};

/// Makes stacks for the engine, if a view needs them. A recording has its own.
pub fn live(options: &Options, needs: &Needs) -> Option<Rc<RefCell<Stacks>>> {
    if needs.stack_rate() == StackRate::None || options.replay.is_some() {
        return None;
    }
    let source = options.stack_trace == Some(ShowStack::Source);
    Some(Rc::new(RefCell::new(Stacks::new(StackDetail { frames: options.stack_trace_frame_limit, source }))))
}

/// Finds the line of a frame. Without stacks of this run, a frame has the line that it was recorded with.
pub fn with_source(stacks: Option<&Rc<RefCell<Stacks>>>, frame: &Arc<StackFrame>) -> Arc<StackFrame> {
    stacks.map_or_else(|| frame.clone(), |stacks| stacks.borrow().with_source(frame))
}
