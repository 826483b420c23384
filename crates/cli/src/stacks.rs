//! The stacks of calls (`-k`, and views and filters that need them).

use crate::flags::Options;
use crate::views::Needs;
use std::cell::RefCell;
use std::rc::Rc;
use stride_stacks::{StackDetail, Stacks};

/// Makes stacks for the engine, if a view needs them. A recording has its own.
pub fn live(options: &Options, needs: &Needs) -> Option<Rc<RefCell<Stacks>>> {
    if !needs.stacks || options.replay.is_some() {
        return None;
    }
    let detail = StackDetail { frames: options.stack_trace_frame_limit, source: needs.sources };
    Some(Rc::new(RefCell::new(Stacks::new(detail))))
}
