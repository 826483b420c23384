//! The stacks of calls (`-k`).

use crate::flags::Options;
use crate::views::Needs;
use std::cell::RefCell;
use std::rc::Rc;
use stride_output::ShowStack;
use stride_stacks::{Fetch, StackDetail, Stacks};

/// Makes stacks for the engine, if a view needs them. A recording has its own.
pub fn live(options: &Options, needs: &Needs, debug_servers: Option<Box<Fetch>>) -> Option<Rc<RefCell<Stacks>>> {
    if !needs.stacks || options.replay.is_some() {
        return None;
    }
    let source = options.stack_trace == Some(ShowStack::Source);
    let mut stacks = Stacks::new(StackDetail { frames: options.stack_trace_frame_limit, source });
    if let Some(fetch) = debug_servers {
        stacks.fetch_debug_files_with(fetch);
    }
    Some(Rc::new(RefCell::new(stacks)))
}
